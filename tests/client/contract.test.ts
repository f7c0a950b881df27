import { expect, it } from 'vitest';
import type { ServerTarget } from '../../src/client/client.js';
import type { ServiceSource, ServiceToolbox } from '../../src/gateway/service.js';
import { open } from './harness.js';

it('a server is a service of the gateway, and a source of the gateway that is no script is a target', () => {
  const service: ServiceToolbox = open('sdk_server.mjs');
  const targetOf = (source: Exclude<ServiceSource, { readonly kind: 'script' }>): ServerTarget => source;
  expect(service.status()).toEqual({ idle: 0, busy: 0, starts: 0, crashes: 0 });
  expect(targetOf({ kind: 'url', url: 'http://localhost' }).kind).toBe('url');
});
