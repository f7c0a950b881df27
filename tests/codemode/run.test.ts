import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../src/toolbox.js';
import { failureOf, processesLeft } from '../engine/harness.js';
import { openCode, serverEntry } from './harness.js';

const shop = { shop: serverEntry('keeps_a_shop') };

describe('executeScript', () => {
  it('runs a script that imports tools, and tells what it printed, returned and called', async () => {
    const { code, run } = await openCode(shop);
    await code.generateWrappers();
    const {
      value,
      stdout,
      calls,
      run: id,
    } = await run(`from servers.shop import order, stock, max_count
print("ordering")
result([order(item="tea")["number"], stock(), max_count(from_="here")])`);
    expect(value).toEqual([1, '{"tea": 3}', 'here']);
    expect(stdout).toBe('ordering\n');
    expect(calls.map(({ server, tool, outcome }) => [server, tool, outcome])).toEqual([
      ['shop', 'order', 'done'],
      ['shop', 'stock', 'done'],
      ['shop', 'max-count', 'done'],
    ]);
    expect(id).toMatch(/\w/);
  });

  it('keeps a server warm from run to run, and ends it at the end', async () => {
    const { code, run } = await openCode(shop);
    const ordering = 'result(call_tool("shop", "order", {"item": "tea"})["number"])';
    expect((await run(ordering)).value).toBe(1);
    expect((await run(ordering)).value).toBe(2);
    await code.close();
    expect(processesLeft()).toEqual([]);
  });

  it('starts a server again that died, and tells the script whose call it was', async () => {
    const { run } = await openCode(shop);
    const { value } = await run(`from mcp_execution import ToolError
try: call_tool("shop", "die")
except ToolError as error: first = error.code
result([first, call_tool("shop", "order", {"item": "tea"})["number"]])`);
    expect(value).toEqual(['SERVER_FAILED', 1]);
  });

  it('gives tool errors, wrong arguments, unknown tools and servers to the script to catch', async () => {
    const { run } = await openCode(shop);
    const { value, calls } = await run(`from mcp_execution import ToolError
codes = []
for asked in (("shop", "fail"), ("shop", "oder"), ("shp", "order"), ("shop__fail",)):
    try: call_tool(*asked)
    except ToolError as error: codes.append([error.code, error.text.split("\\n")[0][:60]])
result(codes)`);
    expect(value).toEqual([
      ['TOOL_FAILED', 'the shop is closed'],
      ['UNKNOWN_TOOL', expect.stringContaining('shop')],
      ['UNKNOWN_SERVER', expect.stringContaining('shp')],
      ['TOOL_FAILED', 'the shop is closed'],
    ]);
    expect(calls.map(({ outcome }) => outcome)).toContain('failed');
  });

  it('gives all content blocks to the script', async () => {
    const { run } = await openCode(shop);
    const { value } = await run('result(call_tool("shop", "picture", raw=True))');
    expect(value).toEqual({
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'done' },
      ],
    });
  });

  it('takes a result of 50 MB, of which only what the script makes of it comes back', async () => {
    const { run } = await openCode(shop);
    expect((await run('result(len(call_tool("shop", "large", {"bytes": 50_000_000})))')).value).toBe(50_000_000);
  }, 60_000);

  it('is given a clear error for a result beyond all limits, and goes on', async () => {
    const { run } = await openCode(shop);
    const { value } = await run(`from mcp_execution import ToolError
try: call_tool("shop", "large", {"bytes": 90_000_000})
except ToolError as error: result([error.code, "bytes" in error.text, call_tool("shop", "stock")])`);
    expect(value).toEqual([expect.any(String), true, '{"tea": 3}']);
  }, 60_000);

  it.each([
    ['an endless loop', 'while True: pass', 'TIMEOUT'],
    ['a tool that never answers', 'call_tool("shop", "hang")', 'TIMEOUT'],
    ['a flood of output', 'while True: print("x" * 10000)', 'OUTPUT_LIMIT'],
    ['a fork', 'import os\nos.fork()', 'PERMISSION_DENIED'],
    ['a socket', 'import socket\nsocket.create_connection(("127.0.0.1", 9))', 'PERMISSION_DENIED'],
    ['a program', 'import subprocess\nsubprocess.run(["true"])', 'PERMISSION_DENIED'],
    ['a file of the host', 'open("/etc/shadow").read()', 'PERMISSION_DENIED'],
    ['a syntax error', 'print(', 'SYNTAX_ERROR'],
    ['too much memory', 'x = "x" * (3 << 30)', 'MEMORY_LIMIT'],
  ])(
    'ends a script with %s, and harms no other run',
    async (_what, script, errorCode) => {
      const { run } = await openCode(shop, { engine: { maxOutputBytes: 1_000_000 } });
      const [error, other] = await Promise.all([
        failureOf(run(script, { limits: { timeoutMs: 1500 } })),
        run('result(call_tool("shop", "stock"))'),
      ]);
      expect(error.code).toBe(errorCode);
      expect(error.details.run).toMatch(/\w/);
      expect(other.value).toBe('{"tea": 3}');
    },
    30_000,
  );

  it('shows a script nothing of the environment of its host', async () => {
    const { run } = await openCode(shop);
    const { value } = await run('import os\nresult(sorted(os.environ))');
    expect(value).not.toEqual(expect.arrayContaining(['MCP_EXECUTION_TEST_MARK']));
  });

  it('refuses what the policy does not permit, and says what would', async () => {
    const { run } = await openCode(shop, { readOnly: true });
    const { value, calls } = await run(`from mcp_execution import ToolError
try: call_tool("shop", "order", {"item": "tea"})
except ToolError as error: result([error.code, error.text, call_tool("shop", "stock")])`);
    expect(value).toEqual(['NOT_ALLOWED', expect.stringContaining('shop/order'), '{"tea": 3}']);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['refused', 'done']);
  });

  it('counts calls against the budget of the run', async () => {
    const { run } = await openCode(shop, { maxCalls: 3 });
    const { value } = await run(`from mcp_execution import ToolError
try:
    for number in range(9): call_tool("shop", "stock")
except ToolError as error: result([number, error.code])`);
    expect(value).toEqual([3, 'CALL_LIMIT']);
  });

  it('cuts output, keeps the whole, and gives it to a later script', async () => {
    const { run } = await openCode(shop, { shownBytes: 1000 });
    const first = await run('for number in range(5000): print("line", number)');
    expect(first.stdout.length).toBeLessThan(2000);
    expect(first.cut).toMatchObject([{ stream: 'stdout', bytes: 48_890 }]);
    expect(readFileSync(first.cut[0]?.file ?? '', 'utf8').split('\n')).toHaveLength(5001);
    const { value } = await run(`from mcp_execution import read_output\nresult(read_output("${first.run}")[-10:])`);
    expect(value).toBe('line 4999\n');
  });

  it('gives the lines as they are printed', async () => {
    const { run } = await openCode(shop);
    const events: CallEvent[] = [];
    await run('print("one")\nprint("two")', { onEvent: (event) => void events.push(event) });
    expect(events.filter(({ type }) => type === 'output')).toEqual([
      { type: 'output', stream: 'stdout', line: 'one' },
      { type: 'output', stream: 'stdout', line: 'two' },
    ]);
  });

  it('is ended by its caller, with the calls that it waits for', async () => {
    const { run } = await openCode(shop);
    const giving = new AbortController();
    const ending = failureOf(
      run('print("on its way")\ncall_tool("shop", "hang")', {
        signal: giving.signal,
        onEvent: (event) => {
          if (event.type === 'output') giving.abort();
        },
      }),
    );
    expect((await ending).code).toBe('CANCELLED');
  });

  it('gives context and arguments, and files from scratch', async () => {
    const { run } = await openCode(shop);
    const { value, files } = await run(
      `import sys
open("report.csv", "w").write("a,b")
attach("report.csv")
result([context["month"], sys.argv[1:]])`,
      { context: { month: 5 }, args: ['--all'] },
    );
    expect(value).toEqual([5, ['--all']]);
    expect(files.map(({ name, data }) => [name, String(data)])).toEqual([['report.csv', 'a,b']]);
  });

  it('saves a run by name, lists it, and runs it again', async () => {
    const { code, run, workspace } = await openCode(shop);
    const script = '"""What the shop has."""\nresult(call_tool("shop", "stock"))\n';
    expect((await run(script, { save: 'stock' })).saved).toBe('stock');
    expect(await code.savedScripts()).toMatchObject([{ name: 'stock', summary: 'What the shop has.' }]);
    expect((await code.executeScript({ saved: 'stock' })).value).toBe('{"tea": 3}');
    expect(readFileSync(join(workspace, 'scripts', 'stock.py'), 'utf8')).toBe(script);
  });

  it('searches and describes tools from inside', async () => {
    const { run } = await openCode(shop);
    const { value } = await run(`from mcp_execution import describe_tool, search_tools
found = search_tools("order an item", limit=1)[0]
result([found["import"], found["signature"], describe_tool("shop", "order")["inputSchema"]["required"]])`);
    expect(value).toEqual(['from servers.shop import order', expect.stringMatching(/^order\(item: str/), ['item']]);
  });

  it('answers for the other servers where one is broken', async () => {
    const { run } = await openCode({ ...shop, broken: { command: 'there-is-no-such-command' } });
    const { value } = await run(`from mcp_execution import ToolError
try: call_tool("broken", "any")
except ToolError as error: result([error.code, "broken" in error.text, call_tool("shop", "stock")])`);
    expect(value).toEqual(['SERVER_FAILED', true, '{"tea": 3}']);
  });
});
