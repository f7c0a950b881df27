import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CalledTool, DescribedTool } from '../../src/codemode/code-execution.js';
import { CallerError } from '../../src/errors.js';
import type { JsonObject } from '../../src/toolbox.js';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';
import { described, sayWithCode } from './fake-code.js';

const text = (words: string) => ({ type: 'text', text: words }) as const;

function answering(answer: Partial<CalledTool>, tool: Partial<DescribedTool> = {}) {
  const asked: (readonly [string, string, JsonObject])[] = [];
  const code = {
    describeTool: async () => ({ ...described, ...tool }),
    callTool: async (server: string, name: string, args: JsonObject): Promise<CalledTool> => {
      asked.push([server, name, args]);
      return { content: [], isError: false, ...answer };
    },
  };
  return { asked, code };
}

describe('call with the name of an MCP server', () => {
  it('prints the texts of the answer', async () => {
    const { code } = answering({ content: [text('one'), text('two')] });
    const said = await sayWithCode(['call', 'github', 'create_issue', 'title=a'], code);
    expect(said).toMatchObject({ exitCode: 0, stdout: 'one\ntwo\n', stderr: '', codeClosed: true });
  });

  it('prints structured content as JSON', async () => {
    const { code } = answering({ content: [text('{"number":1}')], structuredContent: { number: 1 } });
    const { stdout } = await sayWithCode(['call', 'github', 'create_issue'], code);
    expect(stdout).toBe('{\n  "number": 1\n}\n');
  });

  it('reads words with the parameters of the tool in mind', async () => {
    const properties = { title: { type: 'string' }, count: { type: 'integer' } };
    const { asked, code } = answering({}, { inputSchema: { type: 'object', properties } });
    await sayWithCode(
      ['call', 'github', 'create_issue', 'title=007', 'count=3', '--args', '{"count":1,"more":[]}'],
      code,
    );
    expect(asked).toEqual([['github', 'create_issue', { title: '007', count: 3, more: [] }]]);
  });

  it('ends with 1 where the tool says that it failed, with its text on stderr', async () => {
    const { code } = answering({ isError: true, content: [text('no such\u001b[2J repository')] });
    const { exitCode, stdout, stderr } = await sayWithCode(['call', 'github', 'create_issue'], code);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^TOOL_FAILED: github\/create_issue: no such repository\n/);
    const asJson = await sayWithCode(['call', 'github', 'create_issue', '--json'], code);
    expect([asJson.exitCode, JSON.parse(asJson.stdout)]).toMatchObject([1, { error: { code: 'TOOL_FAILED' } }]);
  });

  it('tells what a failed tool says in words, whatever it says beside them', async () => {
    const { code } = answering({ isError: true, content: [text('line 1 is wrong')], structuredContent: { line: 1 } });
    const { stderr } = await sayWithCode(['call', 'github', 'create_issue'], code);
    expect(stderr).toMatch(/^TOOL_FAILED: github\/create_issue: line 1 is wrong\n/);
  });

  it('prints the whole answer as one JSON object with --json', async () => {
    const { code } = answering({ content: [text('one')] });
    const { stdout } = await sayWithCode(['call', 'github', 'create_issue', '--json'], code);
    expect(JSON.parse(stdout)).toEqual({ content: [{ type: 'text', text: 'one' }], isError: false });
  });

  it('names what comes beside text, and keeps it with --save under names that are safe', async () => {
    const data = Buffer.from('bytes').toString('base64');
    const { code } = answering({
      content: [
        text('seen'),
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data, mimeType: 'audio/../../x\u001b[2J' },
        { type: 'resource', resource: { uri: 'file:///etc/../../.bashrc?x', text: 'words' } },
        { type: 'resource', resource: { uri: 'data://..', blob: data, mimeType: 'application/pdf' } },
        { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
      ],
    });
    const named = await sayWithCode(['call', 'github', 'shot/../x'], code);
    expect(named.stdout).toBe('seen\nhttps://example.com/a\n');
    expect(named.stderr).toContain('file shot_.._x-1.png (image/png, 5 bytes): --save DIR keeps it\n');
    const folder = await createFolder();
    const { exitCode } = await sayWithCode(['call', 'github', 'shot/../x', '--save', folder], code);
    expect(exitCode).toBe(0);
    const names = ['bashrc', 'shot_.._x-1.png', 'shot_.._x-2.bin', 'shot_.._x-4.pdf'];
    expect((await readdir(folder)).sort()).toEqual(names);
    expect(await readFile(join(folder, 'bashrc'), 'utf8')).toBe('words');
  });

  it('lets nothing that a server says command the terminal of a person, and leaves it as it is in a pipe', async () => {
    const { code } = answering({ content: [text('a\u001b]0;owned\u0007b\r\n\tc')] });
    expect((await sayWithCode(['call', 'github', 'x'], code, { outWatched: true })).stdout).toBe('ab\n\tc\n');
    expect((await sayWithCode(['call', 'github', 'x'], code)).stdout).toBe('a\u001b]0;owned\u0007b\r\n\tc\n');
  });

  it('refuses words that are no arguments before anything is opened', async () => {
    const { exitCode, stderr, opened } = await sayWithCode(['call', 'github', 'create_issue', 'title']);
    expect([exitCode, opened]).toEqual([2, undefined]);
    expect(stderr).toContain('"title" is not of the form name=value');
  });

  it.each([
    new CallerError('UNKNOWN_SERVER', 'There is no server githb; did you mean github?'),
    new CallerError('INVALID_CONFIG', 'No config was found'),
  ])('says what was looked for where there is none: %s', async (error) => {
    const openCode = () => Promise.reject(error);
    const { exitCode, stderr } = await sayWithCode(['call', 'githb', 'create_issue'], {}, { openCode });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `There is no file or folder githb here, and it is no URL. As an MCP server: ${error.message}`,
    );
  });
});

describe('call with a URL', () => {
  it('calls the server there, whatever the config says', async () => {
    const { asked, code } = answering({ content: [text('found')] });
    const name = 'https://example.com/mcp';
    const url = 'https://user:secret@example.com/mcp?key=secret';
    const { stdout, opened } = await sayWithCode(['call', url, 'search', 'query=a'], code);
    expect(asked).toEqual([[name, 'search', { query: 'a' }]]);
    expect([stdout, opened?.config]).toEqual(['found\n', [{ mcpServers: { [name]: { url } } }]]);
  });
});

describe('call with a path', () => {
  it('has nothing to do with MCP servers, whether it is there or not', async () => {
    const openCode = () => Promise.reject(new Error('not to be opened'));
    expect((await say(['call', 'nowhere.py', 'f'], { openCode })).stderr).not.toContain('not to be opened');
    expect((await say(['call', 'package.json', 'f'], { openCode })).stderr).toContain('INVALID_MANIFEST');
  });
});
