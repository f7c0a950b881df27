import { describe, expect, it } from 'vitest';
import type { SearchOptions, ToolEntry } from '../../src/codemode/code-execution.js';
import { CallerError } from '../../src/errors.js';
import { described, entry, sayWithCode } from './fake-code.js';

const tools: readonly ToolEntry[] = [
  entry,
  { ...entry, tool: 'search_code', summary: 'Finds code in all repositories that you may read, by words and filters.' },
  {
    ...entry,
    server: 'slack',
    tool: 'post',
    summary: 'Sends \u001b[2J\u001b]52;c;ZXZpbA==\u0007a\nmessage \u202eback.',
  },
];

function listing(found = tools) {
  const asked: (SearchOptions | undefined)[] = [];
  const searchTools = async (options?: SearchOptions) => {
    asked.push(options);
    return { tools: found, failures: [] };
  };
  return { asked, code: { searchTools } };
}

describe('mcp-exec list-tools', () => {
  it('prints a table that fits the terminal, of which only the last column is cut', async () => {
    const { exitCode, stdout } = await sayWithCode(['list-tools'], listing().code, { environment: { COLUMNS: '60' } });
    expect(stdout.split('\n')).toEqual([
      'server  tool          what it does',
      'github  create_issue  Makes an issue.',
      'github  search_code   Finds code in all repositories that y…',
      'slack   post          Sends a message  back.',
      '',
    ]);
    expect(exitCode).toBe(0);
  });

  it('gives summaries lines of their own where names leave no room', async () => {
    const tool = 'a_tool_with_a_name_that_is_rather_long';
    const { stdout } = await sayWithCode(['list-tools'], listing([{ ...entry, tool }]).code, {
      environment: { COLUMNS: '48' },
    });
    expect(stdout).toContain(`github  ${tool}\n    Makes an issue.\n`);
  });

  it('keeps columns straight with letters of any width', async () => {
    const wide = { ...entry, server: '天気', summary: '東京の天気を調べます。'.repeat(5) };
    const { stdout } = await sayWithCode(['list-tools'], listing([wide, entry]).code, {
      environment: { COLUMNS: '50' },
    });
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '天気    create_issue  東京の天気を調べます。東京…',
      'github  create_issue  Makes an issue.',
    ]);
  });

  it('asks for the servers, words and number that were named', async () => {
    const { asked, code } = listing();
    await sayWithCode(['list-tools', 'github', 'slack', '--search', 'make issue', '--limit', '3'], code);
    await sayWithCode(['list-tools'], code);
    expect(asked).toMatchObject([
      { servers: ['github', 'slack'], words: 'make issue', limit: 3 },
      { servers: undefined, words: undefined, limit: undefined },
    ]);
  });

  it('prints a JSON array with --json, in which nothing commands a terminal', async () => {
    const odd = { ...entry, summary: 'a\u009b2Jb\u202ec' };
    const { stdout } = await sayWithCode(['list-tools', '--json'], listing([odd]).code);
    expect(JSON.parse(stdout)).toEqual([odd]);
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('tells of servers that failed beside the tools of the others', async () => {
    const failures = [{ server: 'far', code: 'TIMEOUT', message: 'MCP server far: it does not answer' }];
    const searchTools = async () => ({ tools, failures });
    const { exitCode, stdout, stderr } = await sayWithCode(['list-tools'], { searchTools });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('create_issue')]);
    expect(stderr).toContain('TIMEOUT: MCP server far: it does not answer\n');
  });

  it('does not say that there are no tools where they could not be listed', async () => {
    const failures = [{ server: 'far', code: 'UNKNOWN_SERVER', message: 'The config names no MCP server "far"' }];
    const searchTools = async () => ({ tools: [], failures });
    const { exitCode, stderr } = await sayWithCode(['list-tools', 'far'], { searchTools });
    expect([exitCode, stderr]).toEqual([2, expect.not.stringContaining('no tools')]);
  });

  it.each([
    [['list-tools', '--search', 'x\u001b[2J'], ['github'], 'No tool matches "x".\n'],
    [['list-tools'], ['github'], 'There are no tools.\n'],
    [['list-tools'], [], 'The config names no server that is enabled.\n'],
  ])('says by %j of %j that there is nothing', async (words, servers, sentence) => {
    const { exitCode, stdout, stderr } = await sayWithCode(words, { ...listing([]).code, servers });
    expect([exitCode, stdout, stderr]).toEqual([0, '', sentence]);
  });

  it('shows everything that is known of one tool', async () => {
    const asked: (readonly string[])[] = [];
    const describeTool = async (server: string, tool: string) => {
      asked.push([server, tool]);
      return { ...described, resultSchema: { type: 'string' }, resultOrigin: 'inferred' as const };
    };
    const { stdout } = await sayWithCode(['list-tools', 'github/create_issue'], { describeTool });
    expect(asked).toEqual([['github', 'create_issue']]);
    expect(stdout).toContain('github/create_issue\n  from servers.github import create_issue\n');
    expect(stdout).toContain('\n  Makes an issue.\n  \n  And tells its number.\n');
    expect(stdout).toContain('Parameters:\n  {\n    "type": "object",');
    expect(stdout).toContain('Result, inferred:\n  {\n    "type": "string"\n  }\n');
    const asJson = await sayWithCode(['list-tools', 'github/create_issue', '--json'], { describeTool });
    expect(JSON.parse(asJson.stdout)).toMatchObject([{ description: described.description }]);
  });

  it('refuses servers and tools in one go, and a number that is none', async () => {
    const mixed = await sayWithCode(['list-tools', 'slack', 'github/create_issue']);
    expect(mixed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('INVALID_ARGUMENTS: Name servers, or'),
    });
    const none = await sayWithCode(['list-tools', '--limit', '0']);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('A whole number from 1 on') });
  });

  it('says what is wrong with the config', async () => {
    const openCode = () => Promise.reject(new CallerError('INVALID_CONFIG', 'x.json, line 3: a comma is missing'));
    const { exitCode, stderr } = await sayWithCode(['list-tools', '--config', 'x.json'], {}, { openCode });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('INVALID_CONFIG: x.json, line 3')]);
  });
});
