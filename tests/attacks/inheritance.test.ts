import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine, folderWith } from '../engine/harness.js';
import { describeStrict, scriptOf } from './strict.js';

const name = 'ATTACKED_SECRET';
const secret = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
const halves = { first: secret.slice(0, 32), second: secret.slice(32) };
process.env[name] = secret;
afterAll(() => {
  delete process.env[name];
});

const found = {
  'in os.environ': true,
  'by getenv': true,
  'in /proc/self/environ': true,
  'in memory': true,
};

describeWithEngine('a script that nothing holds back', { profile: 'trusted' }, (engine) => {
  it('finds a variable of its host everywhere', async () => {
    const script = scriptOf('searches_for_a_secret');
    const { value } = await engine().call({ script, function: 'search', args: { name, ...halves } });
    expect(value).toMatchObject(found);
  });
});

describeStrict('a script in the sandbox', {}, (engine) => {
  it('finds a variable of its host nowhere', async () => {
    const script = scriptOf('searches_for_a_secret');
    const { value } = await engine().call({ script, function: 'search', args: { name, ...halves } });
    expect(value).toEqual({
      'in os.environ': false,
      'by getenv': false,
      'in /proc/self/environ': false,
      'in /proc/1/environ': false,
      'in memory': false,
    });
  });

  it('sees no more variables than a safe list and what the sandbox sets', async () => {
    const { value } = await engine().call({ script: scriptOf('searches_for_a_secret'), function: 'variables' });
    const known =
      /^(PATH|LANG|LANGUAGE|LC_.*|TZ|TERM|TMPDIR|TEMP|TMP|HOME|LD_LIBRARY_PATH|MALLOC_ARENA_MAX|PYTHON[A-Z]*|O[A-Z]*_NUM_THREADS|MCP_EXECUTION_TEST_MARK)$/;
    expect((value as string[]).filter((variable) => !known.test(variable))).toEqual([]);
  });
});

describeStrict('a script in the sandbox that may see one variable', { allowEnv: [name] }, (engine) => {
  it('sees it', async () => {
    const script = scriptOf('searches_for_a_secret');
    const { value } = await engine().call({ script, function: 'search', args: { name, ...halves } });
    expect(value).toMatchObject({ 'in os.environ': true, 'in memory': true });
  });
});

describeStrict('the descriptors of a script in the sandbox', {}, (engine) => {
  let host: number;
  beforeAll(() => {
    host = openSync(`${folderWith({ 'of-the-host.txt': '' })}/of-the-host.txt`, 'r');
  });
  afterAll(() => closeSync(host));

  it.each(['tell', 'tell_of_import'])(
    'are its own pipes and its scratch folder, and nothing else (%s)',
    async (moment) => {
      const { value } = await engine().call({ script: scriptOf('tells_its_descriptors'), function: moment });
      const kinds = Object.entries(value as Record<string, string>);
      expect(kinds.length).toBeGreaterThan(4);
      expect(kinds.filter(([, kind]) => !isKnown(kind))).toEqual([]);
    },
  );
});

/** Pipes, the sockets that are pipes of a warm interpreter, rules to come, and nothing that it could not open itself. */
function isKnown(kind: string): boolean {
  return ['pipe', 'socket', 'within reach', 'anon_inode:landlock-ruleset', 'anon_inode:[landlock-ruleset]'].includes(
    kind,
  );
}
