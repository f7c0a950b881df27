import { isDeepStrictEqual } from 'node:util';
import type { ServiceDefinition } from '../service.js';
import { settingsOfStart } from './family.js';

export interface ServiceChanges {
  readonly added: readonly ServiceDefinition[];
  /** Services of the same id that are another now. */
  readonly replaced: readonly ServiceDefinition[];
  readonly removed: readonly string[];
}

/** What has to be done so that the services of before become those of after. */
export function compareServices(
  before: readonly ServiceDefinition[],
  after: readonly ServiceDefinition[],
): ServiceChanges {
  const known = new Map(before.map((definition) => [definition.id, definition]));
  const wanted = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !known.has(id)),
    replaced: after.filter((definition) => {
      const old = known.get(definition.id);
      return old !== undefined && !isDeepStrictEqual(old, definition);
    }),
    removed: before.map(({ id }) => id).filter((id) => !wanted.has(id)),
  };
}

/** Settings that differ and are decided when the gateway starts. */
export function waitForStart(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  return settingsOfStart.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
