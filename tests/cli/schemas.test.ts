import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DiscoverSchemasOptions, DiscoverSchemasResult } from '../../src/codemode/code-execution.js';
import { createFolder } from '../interpreter/scripts.js';
import { sayWithCode } from './fake-code.js';

const result: DiscoverSchemasResult = {
  tools: [
    { server: 'github', tool: 'get_me', origin: 'declared', samples: 0 },
    { server: 'github', tool: 'list_issues', origin: 'inferred', samples: 2, drift: 'at /0: a number\nnow' },
    { server: 'slack', tool: 'post', origin: 'none', samples: 0, reason: 'It is not marked as safe.' },
    { server: 'slack', tool: 'update', origin: 'none', samples: 0, reason: 'It is not marked as safe.' },
  ],
  failures: [],
};

function learning(given: Partial<DiscoverSchemasResult> = {}) {
  const asked: (DiscoverSchemasOptions | undefined)[] = [];
  const discoverSchemas = async (options?: DiscoverSchemasOptions) => {
    asked.push(options);
    return { ...result, ...given };
  };
  return { asked, code: { discoverSchemas, servers: ['github', 'org/git', 'slack'] } };
}

describe('mcp-exec schemas', () => {
  it('prints where the schema of each tool comes from', async () => {
    const { exitCode, stdout, stderr } = await sayWithCode(['schemas'], learning().code);
    expect(stdout.split('\n')).toEqual([
      'server  tool         result',
      'github  get_me       declared',
      'github  list_issues  inferred from 2 answers',
      'slack   post         not known',
      'slack   update       not known',
      '',
    ]);
    expect(stderr).toContain('github/list_issues changed what it answers: at /0: a number now\n');
    expect(stderr).toContain('slack/post, slack/update: It is not marked as safe.\n');
    expect(stderr).toContain('4 tools: 1 declared, 1 inferred, 2 not known\n');
    expect(exitCode).toBe(0);
  });

  it('reads which tools are safe, and what to call them with', async () => {
    const file = join(await createFolder(), 'samples.json');
    await writeFile(file, '[{"n":2},{"n":3}]');
    const { asked, code } = learning();
    const safe = ['github/get_me', 'github/list={"a=b":"c/d"}', 'org/git/log={"n":1}', `org/git/log=@${file}`];
    await sayWithCode(['schemas', 'github', ...safe.flatMap((word) => ['--safe', word]), '--accept-read-only'], code);
    expect(asked).toMatchObject([
      {
        servers: ['github'],
        acceptReadOnly: true,
        safeTools: [
          { server: 'github', tool: 'get_me' },
          { server: 'github', tool: 'list', arguments: [{ 'a=b': 'c/d' }] },
          { server: 'org/git', tool: 'log', arguments: [{ n: 1 }, { n: 2 }, { n: 3 }] },
        ],
      },
    ]);
  });

  it.each([
    ['github', /--safe: "github" is not of the form server\/tool/],
    ['github/', /"github\/" is not of the form/],
    ['github/x={"a":', /--safe github\/x is not JSON/],
    ['github/x=[1]', /--safe: github\/x: the arguments of a call are one JSON object/],
    ['github/x=@nowhere.json', /ENOENT/],
  ])('refuses --safe %s', async (word, reason) => {
    const { asked, code } = learning();
    const { exitCode, stderr } = await sayWithCode(['schemas', '--safe', word], code);
    expect([exitCode, asked]).toEqual([2, []]);
    expect(stderr).toMatch(reason);
  });

  it('prints one JSON object with --json, and ends with the code of the first failure', async () => {
    const failures = [{ server: 'far', code: 'INVALID_CONFIG', message: 'far: no command' }];
    const { exitCode, stdout } = await sayWithCode(['schemas', '--json'], learning({ failures }).code);
    expect([exitCode, JSON.parse(stdout)]).toEqual([2, { ...result, failures }]);
  });
});
