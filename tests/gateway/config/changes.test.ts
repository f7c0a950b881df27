import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareServices, waitForStart } from '../../../src/gateway/config/changes.js';
import { gatewaySettingFamily, settingsOfStart } from '../../../src/gateway/config/family.js';
import type { ServiceDefinition } from '../../../src/gateway/service.js';

describe('services of before and after', () => {
  it('differ by what is added, replaced and removed', () => {
    const before = [script('same'), script('other', '/old.py'), script('gone')];
    const after = [script('other', '/new.py'), script('new'), script('same')];
    expect(compareServices(before, after)).toEqual({
      added: [script('new')],
      replaced: [script('other', '/new.py')],
      removed: ['gone'],
    });
  });

  it('are those of after once the changes were made, and no change is made without need', () => {
    const services = fc.uniqueArray(
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), path: fc.constantFrom('/1', '/2') }),
      {
        selector: ({ id }) => id,
      },
    );
    fc.assert(
      fc.property(services, services, (before, after) => {
        const [old, wanted] = [
          before.map(({ id, path }) => script(id, path)),
          after.map(({ id, path }) => script(id, path)),
        ];
        const { added, replaced, removed } = compareServices(old, wanted);
        const kept = new Map(old.map((definition) => [definition.id, definition]));
        for (const id of removed) expect(kept.delete(id)).toBe(true);
        for (const definition of added) expect(kept.has(definition.id)).toBe(false);
        for (const definition of replaced) expect(kept.get(definition.id)).not.toEqual(definition);
        for (const definition of [...added, ...replaced]) kept.set(definition.id, definition);
        expect([...kept.values()].sort(byId)).toEqual([...wanted].sort(byId));
      }),
    );
  });
});

describe('settings of before and after', () => {
  it('name those that wait for the next start', () => {
    const before = { port: 1, host: 'a', cacheTtlMs: 1 };
    expect(waitForStart(before, { ...before, cacheTtlMs: 2 })).toEqual([]);
    expect(waitForStart(before, { ...before, port: 2, data: '/x' })).toEqual(['port', 'data']);
  });

  it('that wait are settings of the gateway', () => {
    expect(settingsOfStart.filter((name) => !gatewaySettingFamily.names.includes(name))).toEqual([]);
  });
});

function script(id: string, path = `/${id}.py`): ServiceDefinition {
  return { id, source: { kind: 'script', targets: [path] } };
}

function byId(one: ServiceDefinition, other: ServiceDefinition): number {
  return one.id < other.id ? -1 : 1;
}
