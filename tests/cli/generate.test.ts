import { describe, expect, it } from 'vitest';
import type { GenerateOptions, GenerateResult } from '../../src/codemode/code-execution.js';
import { LimitError } from '../../src/errors.js';
import { quietCode, sayWithCode } from './fake-code.js';

const result: GenerateResult = {
  folder: `${process.cwd()}/work/servers`,
  servers: [
    {
      server: 'github',
      module: 'github',
      tools: 2,
      changes: [
        { tool: 'create_issue', change: 'changed' },
        { tool: 'close_issue', change: 'added' },
      ],
      isPinned: false,
    },
    { server: 'my-files', module: 'my_files', tools: 11, changes: [], isPinned: false },
  ],
  written: ['index.md', 'github/create_issue.py', 'github/__init__.py'],
  removed: ['old/x.py'],
  unchanged: 13,
};

function generating(given: Partial<GenerateResult> = {}) {
  const asked: (GenerateOptions | undefined)[] = [];
  return {
    asked,
    code: {
      generateWrappers: async (options?: GenerateOptions) => {
        asked.push(options);
        return { ...result, ...given };
      },
    },
  };
}

describe('mcp-exec generate', () => {
  it('prints a table of the servers, and what to do next', async () => {
    const { exitCode, stdout, stderr, codeClosed } = await sayWithCode(['generate'], generating().code);
    expect(stdout.split('\n')).toEqual([
      'server    module    tools  written  changes',
      'github    github        2        2  added close_issue; changed create_issue',
      'my-files  my_files     11        0',
      '',
    ]);
    expect(stderr).toContain('work/servers: 3 files written, 1 removed, 13 as before\n');
    expect(stderr).toContain('  from servers.github import create_issue\n');
    expect([exitCode, codeClosed]).toEqual([0, true]);
  });

  it('takes changes over, because a person asked, and leaves them with --keep-pinned', async () => {
    const { asked, code } = generating();
    await sayWithCode(['generate'], code);
    await sayWithCode(['generate', '--keep-pinned', '--servers', 'a,b', '--servers', 'c', '--typescript'], code);
    expect(asked).toMatchObject([
      { acceptChanges: true, language: 'python' },
      { acceptChanges: false, language: 'typescript', servers: ['a', 'b', 'c'] },
    ]);
  });

  it('names the changes of a server that stays pinned', async () => {
    const servers = result.servers.map((server) => ({ ...server, isPinned: server.server === 'github' }));
    const { stdout, stderr } = await sayWithCode(['generate', '--keep-pinned'], generating({ servers }).code);
    expect(stdout).toContain('2 changes, not taken over');
    expect(stderr).toContain('github keeps its tools as they were generated: added close_issue; changed create_issue');
  });

  it('ends with the exit code of the first server that failed, and shows the others', async () => {
    const servers = [
      ...result.servers,
      { ...failed('UNREACHABLE_THING', 'it is gone'), server: 'far' },
      { ...failed('LOGIN_REQUIRED', 'MCP server crm: log in first'), server: 'crm' },
    ];
    const { exitCode, stdout, stderr } = await sayWithCode(['generate'], generating({ servers }).code);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('my_files')]);
    expect(stderr).toContain('UNREACHABLE_THING: far: it is gone\n');
    expect(stderr).toContain('LOGIN_REQUIRED: MCP server crm: log in first\nRun mcp-exec login SERVER once');
    const login = servers.slice(3);
    expect((await sayWithCode(['generate'], generating({ servers: login }).code)).exitCode).toBe(2);
  });

  it('prints one JSON object with --json', async () => {
    const { stdout } = await sayWithCode(['generate', '--json'], generating().code);
    expect(JSON.parse(stdout)).toEqual(result);
  });

  it('hands over config, workspace and settings of the engine, from flags and variables', async () => {
    const words = ['generate', '--config', 'a.json,b.json', '--config', 'cursor', '--timeout-ms', '5'];
    const environment = { MCP_EXECUTION_CODE_WORKSPACE: 'work', MCP_EXECUTION_CODE_MAX_CALLS: '7' };
    const { opened } = await sayWithCode(words, {}, { environment });
    expect(opened).toMatchObject({
      code: { config: ['a.json', 'b.json', 'cursor'], workspace: 'work', maxCalls: 7 },
      engine: { timeoutMs: 5 },
      identity: { name: 'mcp-exec' },
    });
  });

  it('refuses a wrong setting before anything is opened', async () => {
    const { exitCode, stderr, opened } = await sayWithCode(['generate', '--max-calls', 'many']);
    expect([exitCode, opened]).toEqual([2, undefined]);
    expect(stderr).toContain('INVALID_SETTING: Setting maxCalls');
  });

  it('draws the servers that start, on a terminal alone', async () => {
    const code = ({ onServerStart }: { onServerStart?: (server: string) => void }) => ({
      generateWrappers: async () => {
        onServerStart?.('github');
        onServerStart?.('sl\u001b]0;owned\u0007ack');
        return await quietCode.generateWrappers();
      },
    });
    const { stderr } = await sayWithCode(['generate'], code, { watched: true });
    expect(stderr).toContain('starting github …\r\u001b[Kstarting github, slack …\r\u001b[K');
    expect((await sayWithCode(['generate'], code)).stderr).not.toContain('starting');
  });

  it.each([
    ['the error that says so', new LimitError('CANCELLED', 'The call was cancelled')],
    ['another', new Error('AbortError')],
  ])('ends with 130 on Ctrl-C, by %s', async (_, error) => {
    const interruption = new AbortController();
    const generateWrappers = async () => {
      interruption.abort();
      throw error;
    };
    const said = await sayWithCode(['generate'], { generateWrappers }, { interrupt: interruption.signal });
    expect(said).toMatchObject({ exitCode: 130, stdout: '', codeClosed: true });
    expect(said.stderr).toMatch(/^CANCELLED: /);
  });
});

function failed(code: string, message: string) {
  return { module: '', tools: 0, changes: [], isPinned: false, failure: { code, message } };
}
