import { describe, expect, it } from 'vitest';
import { judge, readBaseline } from '../../../src/services/conformance/baseline.js';
import type { Check } from '../../../src/services/conformance/results.js';

const check = (id: string, status: string): Check => ({ id, name: id, description: id, status });
const ids = (checks: readonly Check[]) => checks.map(({ id }) => id);

describe('expected failures', () => {
  it.each([
    ['- ping\n- tools:names', 'a list'],
    ['server:\n  - ping\n  - tools:names\nclient:\n  - x', 'the form of the official suite'],
    ['["ping", "tools:names"]', 'JSON'],
  ])('are read from %j, %s', async (text) => {
    const { scenarios, checks } = await readBaseline('file', new Map([['file', text]]));
    expect([...scenarios]).toEqual(['ping']);
    expect([...checks].map(([name, known]) => [name, [...known]])).toEqual([['tools', ['names']]]);
  });

  it.each([
    ['server: [', 'is no YAML'],
    ['just words', 'is not a list of scenarios'],
    ['server: ping', 'is not a list of scenarios'],
    ['- ping: names', 'has the entry {"ping":"names"}; write scenario or scenario:check, without a space'],
    ['- 7', 'has the entry 7'],
  ])('are refused where they are %j', async (text, why) => {
    await expect(readBaseline('known.yml', new Map([['known.yml', text]]))).rejects.toThrow(`known.yml ${why}`);
  });

  it('may be none', async () => {
    const none = { scenarios: new Set(), checks: new Map() };
    expect(await readBaseline(undefined, new Map())).toEqual(none);
    expect(await readBaseline('empty', new Map([['empty', '# nothing yet']]))).toEqual(none);
    await expect(readBaseline('gone', new Map())).rejects.toThrow('gone cannot be read');
  });

  it('hold for a scenario whatever of it fails or warns', async () => {
    const baseline = await readBaseline(['tools'], new Map());
    const failed = judge('tools', [check('a', 'FAILURE'), check('b', 'SUCCESS')], baseline);
    expect(failed).toMatchObject({ failed: [], known: [{ id: 'a' }], stale: [] });
    expect(judge('tools', [check('a', 'WARNING')], baseline).stale).toEqual([]);
    expect(judge('tools', [check('a', 'SUCCESS')], baseline).stale).toEqual(['tools']);
  });

  it('hold for single checks, of which the worst outcome counts', async () => {
    const baseline = await readBaseline(['tools:a', 'tools:c', 'tools:d'], new Map());
    const checks = [check('a', 'SUCCESS'), check('a', 'FAILURE'), check('b', 'FAILURE'), check('c', 'SUCCESS')];
    const { failed, known, stale } = judge('tools', [...checks, check('c', 'INFO'), check('d', 'SKIPPED')], baseline);
    expect([ids(failed), ids(known), stale]).toEqual([['b'], ['a'], ['tools:c']]);
  });

  it('need not hold what only warns', async () => {
    expect(judge('tools', [check('a', 'WARNING')], await readBaseline([], new Map())).failed).toEqual([]);
  });
});
