import { afterEach, describe, expect, it } from 'vitest';
import { processesLeft } from '../engine/harness.js';
import { startGateway } from '../gateway/gateway-process.js';
import { command, inspector, inspectServer, script } from './inspector.js';
import { longMs } from './scale.js';

afterEach(() => {
  expect(processesLeft()).toEqual([]);
});

const ways = [
  { era: 'legacy', over: 'stdio' },
  { era: 'modern', over: 'stdio' },
  { era: 'legacy', over: 'http' },
  { era: 'modern', over: 'http' },
] as const;
const isErrorExitCode = 5;

describe.runIf(inspector).each(ways)("Inspector's command line ($era era, over $over)", ({ era, over }) => {
  const inEra = async (...words: readonly string[]) => {
    const inItsWords = ['--protocol-era', era, ...words];
    if (over === 'stdio') return inspectServer([process.execPath, command, 'serve', script], inItsWords);
    const gateway = await startGateway([script]);
    const { services } = (await (await fetch(`${gateway.url}/api/v1/services`)).json()) as {
      services: { id: string }[];
    };
    const address = `${gateway.url}/api/v1/mcp/${services[0]?.id}`;
    const answer = await inspectServer([address, '--transport', 'http'], inItsWords);
    await gateway.kill('SIGTERM');
    return answer;
  };

  it('lists the tools with their descriptions and schemas', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await inEra('--method', 'tools/list');
    expect(exitCode).toBe(0);
    const { tools } = JSON.parse(stdout) as { tools: readonly { name: string; inputSchema: object }[] };
    expect(tools.map(({ name }) => name)).toEqual(['greet', 'square', 'count_down', 'fail']);
    expect(tools[0]).toMatchObject({
      description: expect.stringContaining('Greet somebody'),
      inputSchema: {
        properties: {
          name: { type: 'string', description: 'Who is greeted.' },
          times: { type: 'integer', default: 1, description: 'How often.' },
        },
        required: ['name'],
      },
    });
  });

  it('finds no schema that a client could stumble over', { timeout: longMs }, async () => {
    const { exitCode, stderr } = await inEra('--method', 'tools/list', '--strict');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  });

  it('calls a tool and gets its text', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await call('greet', 'name=Ada', 'times=2');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada! Hello, Ada!' }],
      structuredContent: { result: 'Hello, Ada! Hello, Ada!' },
    });
  });

  it('gets an image', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await call('square', 'side=2');
    expect(exitCode).toBe(0);
    const { content } = JSON.parse(stdout) as { content: readonly { type: string; mimeType: string; data: string }[] };
    const [image] = content.filter(({ type }) => type === 'image');
    expect(image?.mimeType).toBe('image/png');
    expect(
      Buffer.from(image?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('waits for a tool that reports progress', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await call('count_down', 'start=2');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { result: 'lift-off' } });
  });

  it('gets the traceback of a tool that fails', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await call('fail', 'reason=tired');
    expect(exitCode).toBe(isErrorExitCode);
    expect(stdout).toContain('ValueError: tired');
    expect(stdout).toContain('about to fail');
  });

  it('is told which argument is wrong', { timeout: longMs }, async () => {
    const { exitCode, stdout } = await call('greet', 'name=Ada', 'times=many');
    expect(exitCode).toBe(isErrorExitCode);
    expect(stdout).toMatch(/times: expected an integer/);
  });

  function call(tool: string, ...args: readonly string[]) {
    const pairs = args.flatMap((pair) => ['--tool-arg', pair]);
    return inEra('--method', 'tools/call', '--tool-name', tool, ...pairs);
  }
});
