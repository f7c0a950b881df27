import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runExecutionServer } from '../../src/cli/execution-server.js';
import { serveExecution } from '../../src/cli/execution-server-serving.js';
import type { Terminal } from '../../src/cli/terminal.js';
import type { CodeExecution } from '../../src/codemode/code-execution.js';
import { codeSettingFamily } from '../../src/codemode/settings.js';
import { parseSettings } from '../../src/config.js';
import type { OpenCodeOptions } from '../../src/services/code-execution.js';
import { fakeCode } from '../codemode/toolbox/fake-code.js';
import { initialize } from '../server/raw-client.js';

describe('serving code execution', () => {
  it('makes ready what the first script needs once the tools were listed, and closes all when the client leaves', async () => {
    let tellListed = (): void => {};
    const listed = new Promise<void>((resolve) => {
      tellListed = resolve;
    });
    const scene = setScene({ warm: async () => tellListed() });
    const ended = scene.serve();
    scene.write(initialize, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await listed;
    scene.input.end();
    expect(await ended).toBe(0);
    expect(scene.code.isClosed()).toBe(true);
    expect(scene.written()).toContain('"execute_script"');
    expect(scene.opened[0]).toMatchObject({ identity: { name: 'mcp-execution-server' } });
  });

  it('takes a config by the name that it was found under', async () => {
    const scene = setScene({ configs: ['/nowhere/mcp.json'] });
    const ended = scene.serve();
    const call = { name: 'generate_wrappers', arguments: { config: '/nowhere/mcp.json' } };
    scene.write(initialize, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    await expect.poll(() => scene.code.generated).toHaveLength(1);
    scene.input.end();
    await ended;
  });

  it('ends with 130 when it is interrupted', async () => {
    const interruption = new AbortController();
    const scene = setScene({}, interruption.signal);
    const ended = scene.serve();
    interruption.abort();
    expect(await ended).toBe(130);
    expect(scene.code.isClosed()).toBe(true);
  });

  it('closes what it opened where a safe tool is named wrongly', async () => {
    const scene = setScene();
    await expect(scene.serve(['double'])).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(scene.code.isClosed()).toBe(true);
  });

  it('permits no call that a person has to permit before there is a client to ask by', async () => {
    const scene = setScene();
    const ended = scene.serve();
    await expect.poll(() => scene.opened).toHaveLength(1);
    const asked = { run: 'r1', server: 'github', tool: 'delete\u001b[2J', arguments: { text: 'x'.repeat(5000) } };
    const answer = scene.opened[0]?.approve?.(asked, new AbortController().signal);
    await expect(answer).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      message: expect.stringMatching(/^The tool github\/delete may not be called: .*lacks elicitation/),
    });
    scene.input.end();
    await ended;
  });
});

describe('the command line of mcp-execution-server', () => {
  it.each([
    [['--help'], 0, /Usage: mcp-execution-server/, /^$/],
    [['--max-calls', 'many'], 2, /^$/, /INVALID_SETTING.*maxCalls/],
    [['--nothing'], 2, /^$/, /unknown option '--nothing'/],
  ])('%j comes to %i', async (words, exitCode, out, note) => {
    const said = { out: '', note: '' };
    const terminal = { ...setScene().terminal, out: add('out'), note: add('note') };
    expect(await runExecutionServer(words, terminal)).toBe(exitCode);
    expect(said.out).toMatch(out);
    expect(said.note).toMatch(note);

    function add(stream: 'out' | 'note') {
      return (text: string) => {
        said[stream] += text;
      };
    }
  });
});

function setScene(given: Partial<Omit<CodeExecution, 'executeScript'>> = {}, interrupt = new AbortController().signal) {
  const code = fakeCode(given);
  const opened: OpenCodeOptions[] = [];
  const input = new PassThrough();
  const output = new PassThrough();
  let written = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
  });
  const terminal: Terminal = {
    out: () => {},
    note: () => {},
    watched: false,
    outWatched: false,
    colours: false,
    environment: {},
    interrupt,
    createEngine: () => Promise.reject(new Error('no engine is needed')),
    input: () => new PassThrough(),
    openCode: async (options) => {
      opened.push(options);
      return code;
    },
  };
  const settings = { code: codeSettingFamily.parse({}), engine: parseSettings({ logLevel: 'silent' }) };
  return {
    code,
    opened,
    input,
    terminal,
    written: () => written,
    write(...messages: readonly object[]) {
      for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    },
    serve: (safe?: readonly string[]) => serveExecution(settings, { safe }, terminal, { input, output }),
  };
}
