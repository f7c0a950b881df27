import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { processesLeft } from '../engine/harness.js';
import { childrenOf, isAlive, until } from '../engine/processes.js';
import { startGateway } from '../gateway/gateway-process.js';
import { eras } from '../server/sdk-client.js';
import { connect, outcomeOf, secret, serverBin, setScene, start } from './execution-server-process.js';

const patience = { interval: 10, timeout: 20_000 };

afterAll(() => vi.waitFor(() => expect(processesLeft()).toEqual([]), patience));

describe.each(eras)('mcp-execution-server, to the official client of %s', (era) => {
  it('has exactly three tools, and starts no server to tell of them', async () => {
    const scene = setScene();
    const { client } = await connect(scene.words, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['generate_wrappers', 'discover_schemas', 'execute_script']);
    expect(tools[2]?.description).toContain('MCP servers numbers.');
    expect(scene.notes()).toBe('');
  });

  it('generates wrappers, and runs a script that imports one, with its lines as they come', async () => {
    const scene = setScene();
    const { client, stderr } = await connect(scene.words, era);
    const generated = await client.callTool({ name: 'generate_wrappers' });
    expect(generated.structuredContent).toMatchObject({
      servers: [{ server: 'numbers', module: 'numbers', tools: 4 }],
    });
    const script = [
      'import time',
      'from mcp_execution import result, search_tools',
      'from servers.numbers import double',
      'print(search_tools("double a number")[0]["import"])',
      'time.sleep(0.3)  # the client drops progress that it reads together with the answer',
      'result({"sum": sum(int(double(n=n)) for n in range(4))})',
    ].join('\n');
    const lines: unknown[] = [];
    const onprogress = ({ message }: { message?: string }) => lines.push(message);
    const run = await client.callTool({ name: 'execute_script', arguments: { script } }, { onprogress });
    expect(run.structuredContent).toMatchObject({
      value: { sum: 12 },
      stdout: 'from servers.numbers import double\n',
      calls: [{ server: 'numbers', tool: 'double', calls: 4, failed: 0 }],
    });
    expect(lines).toContain('from servers.numbers import double');
    expect(scene.notes()).toMatch(/^started \d+\n$/);
    expect(scene.runs().map(({ op, outcome }) => [op, outcome])).toEqual(
      expect.arrayContaining([
        ['generate_wrappers', 'done'],
        ['execute_script', 'done'],
      ]),
    );
    expect(JSON.stringify([generated, run]) + stderr()).not.toContain(secret);
  });

  it('shows a tool that failed, a script that is wrong and arguments that are, each as a result', async () => {
    const { client } = await connect(setScene().words, era);
    const execute = (args: object) => client.callTool({ name: 'execute_script', arguments: { ...args } });
    const failed = await execute({
      script: 'from mcp_execution import call_tool\nprint("before")\ncall_tool("numbers", "fail")',
    });
    expect(failed.isError).toBe(true);
    expect(JSON.stringify(failed.content)).toMatch(/ToolError: it did not work.*Printed to stdout:\\nbefore/);
    expect(JSON.stringify(await execute({ script: 'print(' }))).toContain('SYNTAX_ERROR');
    expect(JSON.stringify(await execute({ source: 'print()' }))).toMatch(
      /INVALID_ARGUMENTS.*execute_script takes script/,
    );
    expect(JSON.stringify(await execute({ path: '../mcp.json' }))).toContain('NOT_ALLOWED');
    expect(
      JSON.stringify(await execute({ script: 'import socket; socket.create_connection(("127.0.0.1", 1))' })),
    ).toContain('PERMISSION_DENIED');
  });

  it('saves a script and runs it again by name and by path, and gives the whole of what was cut', async () => {
    const { client } = await connect([...setScene().words, '--shown-bytes', '256'], era);
    const execute = async (args: object) =>
      (await client.callTool({ name: 'execute_script', arguments: { ...args } })).structuredContent as {
        readonly run: string;
        readonly stdout: string;
        readonly cut: readonly object[];
      };
    const script = 'import sys\nfrom mcp_execution import context\nprint(sys.argv[1:], context)';
    expect(await execute({ script, args: ['a'], context: { n: 1 }, save: 'tells' })).toMatchObject({
      stdout: "['a'] {'n': 1}\n",
      saved: 'tells',
    });
    expect((await execute({ saved: 'tells', args: ['b'] })).stdout).toBe("['b'] {}\n");
    expect((await execute({ path: 'scripts/tells.py' })).stdout).toBe('[] {}\n');
    const { run, stdout, cut } = await execute({ script: 'print("x" * 1000)' });
    expect(cut).toEqual([{ stream: 'stdout', bytes: 1001, shownBytes: 256 }]);
    expect(stdout).toContain(`read_output("${run}")`);
    const reading = `from mcp_execution import read_output\nprint(len(read_output("${run}")))`;
    expect((await execute({ script: reading })).stdout).toBe('1001\n');
  });

  it('ends a script that is cancelled, in the middle of a tool call', async () => {
    const scene = setScene();
    const { client } = await connect(scene.words, era);
    const cancel = new AbortController();
    const script = 'from mcp_execution import call_tool\ncall_tool("numbers", "wait")';
    const call = client.callTool({ name: 'execute_script', arguments: { script } }, { signal: cancel.signal });
    call.catch(() => {});
    await expect.poll(scene.notes, patience).toContain('waits');
    cancel.abort();
    await expect(call).rejects.toThrow();
    await expect
      .poll(scene.runs, patience)
      .toMatchObject([{ op: 'execute_script', outcome: 'failed', code: 'CANCELLED' }]);
    const after = await client.callTool({ name: 'execute_script', arguments: { script: 'print(6 * 7)' } });
    expect(after.structuredContent).toMatchObject({ stdout: '42\n' });
  });
});

describe('what the user permits at the start', () => {
  it('holds for discover_schemas: tools that are marked are called, and no others', async () => {
    const scene = setScene();
    const { client } = await connect([
      ...scene.words,
      '--safe',
      'numbers/figures',
      '--safe',
      'numbers/double={"n": 1}',
    ]);
    const discover = async (safe_tools?: unknown) =>
      client.callTool({ name: 'discover_schemas', arguments: { safe_tools } });
    expect((await discover()).structuredContent).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({ tool: 'figures', origin: 'inferred', samples: 1 }),
        expect.objectContaining({ tool: 'double', origin: 'inferred', samples: 1 }),
        expect.objectContaining({ tool: 'fail', origin: 'none' }),
      ]),
    });
    const refused = await discover(['numbers/fail']);
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining('NOT_ALLOWED')]);
  });

  it('holds for scripts: a tool that is denied raises, and the others work', async () => {
    const { client } = await connect([...setScene().words, '--deny-tools', 'numbers/d*']);
    const script = [
      'from mcp_execution import call_tool, ToolError',
      'try: call_tool("numbers", "double", {"n": 1})',
      'except ToolError as error: print(error.code)',
      'print(call_tool("numbers", "figures"))',
    ].join('\n');
    const run = await client.callTool({ name: 'execute_script', arguments: { script } });
    expect(run.structuredContent).toMatchObject({ stdout: 'NOT_ALLOWED\n{"rows": 3}\n' });
  });

  const asking = 'from mcp_execution import call_tool\nprint(call_tool("numbers", "double", {"n": 4}))';

  it.each([
    ['accept', { stdout: '8\n' }],
    ['decline', { error: 'EXCEPTION' }],
    ['cancel', { error: 'EXCEPTION' }],
  ] as const)('asks the person by the client before a call that needs it: %s', async (action, structuredContent) => {
    const { client } = await connect([...setScene().words, '--ask-tools', 'numbers/double'], '2025-11-25', {
      capabilities: { elicitation: {} },
    });
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
    const run = await client.callTool({ name: 'execute_script', arguments: { script: asking } });
    expect(questions).toEqual([expect.stringMatching(/numbers\/double.*\n\{"n":4\}\nPermit/)]);
    expect(run.structuredContent).toMatchObject(structuredContent);
  });

  it.each(eras)('refuses such a call where the client of %s cannot ask, and says what to do', async (era) => {
    const { client } = await connect([...setScene().words, '--ask-tools', 'numbers/double'], era);
    const run = await client.callTool({ name: 'execute_script', arguments: { script: asking } });
    expect([run.isError, JSON.stringify(run.content)]).toEqual([true, expect.stringContaining('lacks elicitation')]);
  });
});

describe('what is wrong at the start', () => {
  it.each([
    ['a config that is not there', (folder: string) => ['--config', join(folder, 'none.json')], 'INVALID_CONFIG'],
    [
      'a config that is no JSON',
      (folder: string) => ['--config', write(folder, 'bad.json', '{"mcpServers": ')],
      'INVALID_CONFIG',
    ],
    ['a workspace that is a file', (folder: string) => ['--workspace', write(folder, 'file', '')], 'INVALID_WORKSPACE'],
    ['a workspace that cannot be made', () => ['--workspace', '/proc/none'], 'INVALID_WORKSPACE'],
    ['less than profile strict', () => ['--allow-all'], 'INVALID_SETTING'],
    ['a setting that is none', () => ['--max-calls', 'many'], 'INVALID_SETTING'],
    ['a safe tool without a server', () => ['--safe', 'double'], 'INVALID_ARGUMENTS'],
    ['a flag that is none', () => ['--confg', 'x'], "unknown option '--confg'"],
    ['a word too many', () => ['mcp.json'], 'too many arguments'],
  ])('%s is said on stderr, with exit code 2', async (_what, words, said) => {
    const scene = setScene();
    const { exitCode, stdout, stderr } = await outcomeOf([...scene.words, ...words(scene.folder)]);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringContaining(said) });
    expect(stderr).not.toContain(secret);
  });

  it('takes its settings from variables too, and flags win over them', async () => {
    const scene = setScene();
    const fromVariables = { MCP_EXECUTION_CODE_MAX_CALLS: 'many' };
    expect(await outcomeOf(scene.words, fromVariables)).toMatchObject({ exitCode: 2 });
    expect(await outcomeOf([...scene.words, '--max-calls', '5'], fromVariables)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['--help', /--config <[\s\S]*--workspace <[\s\S]*--safe <[\s\S]*Examples:/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('%s is data, and no failure', async (flag, shown) => {
    expect(await outcomeOf([flag])).toEqual({ exitCode: 0, stdout: expect.stringMatching(shown), stderr: '' });
  });
});

describe('the end of mcp-execution-server', () => {
  it.each([
    ['its client closes its input', (child: ReturnType<typeof start>) => child.stdin?.end(), 0],
    ['SIGTERM', (child: ReturnType<typeof start>) => child.kill('SIGTERM'), 0],
    ['SIGINT', (child: ReturnType<typeof start>) => child.kill('SIGINT'), 130],
  ])('by %s in the middle of a tool call leaves nothing', async (_how, end, exitCode) => {
    const scene = setScene();
    const child = start(scene.words);
    const script = 'from mcp_execution import call_tool\ncall_tool("numbers", "wait")';
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      },
      { id: 2, method: 'tools/call', params: { name: 'execute_script', arguments: { script } } },
    ];
    for (const message of messages) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stdout?.resume();
    await expect.poll(scene.notes, patience).toContain('waits');
    const below = family(child.pid ?? -1);
    expect(below.length).toBeGreaterThan(1);
    const gone = once(child, 'exit');
    end(child);
    expect(await gone).toEqual([exitCode, null]);
    await until(() => !below.some(isAlive));
  });
});

describe('mcp-execution-server behind the gateway', () => {
  it('streams, cancels and serves sessions of several clients', { timeout: 60_000 }, async () => {
    const scene = setScene();
    const command = ['node', serverBin, ...scene.words].map((word) => `'${word}'`).join(' ');
    const { url } = await startGateway(['--command', `code=${command}`]);
    const [one, other] = [await connectToGateway(url), await connectToGateway(url)];
    expect((await one.listTools()).tools).toHaveLength(3);
    const lines: unknown[] = [];
    const onprogress = ({ message }: { message?: string }) => lines.push(message);
    const script = 'import time\nprint("first")\ntime.sleep(0.3)\nprint("second")';
    const run = await one.callTool({ name: 'execute_script', arguments: { script } }, { onprogress });
    expect(run.structuredContent).toMatchObject({ stdout: 'first\nsecond\n' });
    expect(lines).toContain('first');
    const cancel = new AbortController();
    const waiting = 'from mcp_execution import call_tool\ncall_tool("numbers", "wait")';
    const call = other.callTool({ name: 'execute_script', arguments: { script: waiting } }, { signal: cancel.signal });
    call.catch(() => {});
    await expect.poll(scene.notes, patience).toContain('waits');
    cancel.abort();
    const codes = () => scene.runs().flatMap(({ code }) => code ?? []);
    await expect.poll(codes, patience).toEqual(['CANCELLED']);
  });
});

async function connectToGateway(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp/code`)));
  onTestFinished(() => client.close());
  return client;
}

function family(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...family(child)]);
}

function write(folder: string, name: string, content: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}
