import { CallerError } from '../../../src/errors.js';
import type { ServiceDefinition } from '../../../src/gateway/service.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { createFakeServices, type FakeServices } from '../harness.js';

export interface OpenableServices extends FakeServices {
  readonly opened: readonly ServiceDefinition[];
  /** What opening the next service fails with. */
  failNext: Error | undefined;
  /** Ends the last call on every replaced version. */
  retireAll(): void;
}

/** Services in memory that can be opened, and whose old versions stay until they are let go. */
export function createOpenableServices(): OpenableServices {
  const fake = createFakeServices({});
  const opened: ServiceDefinition[] = [];
  const retired: (() => void)[] = [];
  const services: OpenableServices = {
    ...fake,
    opened,
    failNext: undefined,
    retireAll: () => {
      for (const tell of retired.splice(0)) tell();
    },
    async add(definition) {
      if (fake.has(definition.id)) throw new CallerError('CONFLICT', 'There is one already');
      return open(definition);
    },
    async replace(definition, onRetired) {
      fake.get(definition.id);
      const service = open(definition);
      if (onRetired) retired.push(onRetired);
      return service;
    },
  };
  return services;

  function open(definition: ServiceDefinition) {
    const failure = services.failNext;
    services.failNext = undefined;
    if (failure) throw failure;
    opened.push(definition);
    fake.set(definition.id, new FakeToolbox({ hello: () => text('hello') }), { definition });
    return fake.get(definition.id);
  }
}
