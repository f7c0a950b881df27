import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonEngine, type ScriptContext } from '../../src/engine/python-engine.js';
import type { JsonValue } from '../../src/toolbox.js';
import { collectEvents, failureOf, folderWith, launchers, processesLeft } from './harness.js';

const cacheDir = folderWith({});

describe.each(launchers)('PythonEngine (%s)', (launcher) => {
  let engine: PythonEngine;
  beforeAll(() => {
    engine = new PythonEngine({ launcher, cacheDir });
  });
  afterAll(async () => {
    await engine.close();
    expect(processesLeft()).toEqual([]);
  });

  const valueFrom = async (source: string, context?: ScriptContext): Promise<JsonValue> =>
    (await engine.executeScript(source, context)).value;

  describe('executeScript', () => {
    it('gives a script its context and takes its result', async () => {
      const context = {
        request: { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
        response: { content: [{ type: 'text', text: '3' }] },
        metadata: { test_name: 'adds' },
      };
      const source = `
expected = sum(context["request"]["params"]["arguments"].values())
got = int(context["response"]["content"][0]["text"])
log("info", f"comparing {got} with {expected}")
result({"passed": got == expected, "test": context["metadata"]["test_name"]})
`;
      const run = await engine.executeScript(source, context);
      expect(run.value).toEqual({ passed: true, test: 'adds' });
      expect(run.logs).toEqual([{ level: 'info', message: 'comparing 3 with 3' }]);
      expect(run.figures).toMatchObject({ launcher, isolation: 'call' });
    });

    it('gives an empty context where none is given', async () => {
      expect(await valueFrom('result(context)')).toEqual({});
    });

    it.each<[string, JsonValue]>([
      ['the words of JSON', ['null', 'true', 'NaN', 'None', null, true, false, 0, -1.5e-7]],
      ['quotes and backslashes', `'''"""\\'\\"\\n\\\\${'`'}`],
      ['source code', '"); import os; os._exit(9); ("'],
      ['newlines of all kinds', 'a\nb\r\nc\rd\u2028e\u2029f\u0085g\0h'],
      ['emoji and combined characters', '🐍👩‍👩‍👧‍👦 é é ẞ \u202eright'],
      ['a lone surrogate', 'a\ud800b\udc00'],
      ['keys like __proto__', JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":2},"":3,"a.b":4}')],
      ['deep nesting', Array.from({ length: 150 }).reduce<JsonValue>((inner) => [inner], 'deep')],
      ['empty things', ['', [], {}, [[]], [{}]]],
    ])('passes %s unchanged', async (_name, value) => {
      const echoed = await valueFrom('result(context["response"])', { response: value });
      expect(JSON.stringify(echoed)).toBe(JSON.stringify(value));
    });

    it('passes 10 MB unchanged', async () => {
      const text = '0123456789"\\é🐍\n'.repeat(700_000);
      expect(Buffer.byteLength(text)).toBeGreaterThan(10 * 1024 * 1024);
      expect((await valueFrom('result(context["request"])', { request: text })) === text).toBe(true);
    });

    it('passes nesting deeper than a result may be', async () => {
      const request = Array.from({ length: 400 }).reduce<JsonValue>((inner) => ({ inner }), 'deep');
      const source = `
depth, value = 0, context["request"]
while isinstance(value, dict):
    depth, value = depth + 1, value["inner"]
result([depth, value])
`;
      expect(await valueFrom(source, { request })).toEqual([400, 'deep']);
    });

    it('has attach, context, log, progress and result to import, the same that are simply there', async () => {
      const source = `
import mcp_execution
names = [name for name in mcp_execution.__all__ if name in globals()]
result([names, [getattr(mcp_execution, name) is globals()[name] for name in names], mcp_execution.context["metadata"]])
`;
      const names = ['attach', 'context', 'log', 'progress', 'result'];
      expect(await valueFrom(source, { metadata: { a: 1 } })).toEqual([names, names.map(() => true), { a: 1 }]);
    });

    it('gives a context to modules that the script imports', async () => {
      const folder = folderWith({
        'helper.py': 'from mcp_execution import context\ndef name():\n    return context["metadata"]["name"]',
      });
      const source = `import sys\nsys.path.insert(0, context["request"])\nimport helper\nresult(helper.name())`;
      expect(await valueFrom(source, { request: folder, metadata: { name: 'Al' } })).toBe('Al');
    });

    it('puts plain metadata into the environment', async () => {
      const metadata = {
        test_name: 'adds "two" 🐍\nnumbers',
        toolName: 'add',
        serverInfo: { name: 'math', version: 3, deep: { no: 1 } },
        tags: ['a'],
        python: '/not/ours',
      };
      const source = `
import os
result({name: value for name, value in os.environ.items() if name.startswith("MCP_EXECUTION_") and "MARK" not in name})
`;
      expect(await valueFrom(source, { metadata })).toEqual({
        MCP_EXECUTION_TEST_NAME: 'adds "two" 🐍\nnumbers',
        MCP_EXECUTION_TOOL_NAME: 'add',
        MCP_EXECUTION_SERVER_INFO_NAME: 'math',
        MCP_EXECUTION_SERVER_INFO_VERSION: '3',
      });
      expect(await valueFrom(source)).toEqual({});
    });

    it('may change its context without changing that of the next', async () => {
      const context = { request: { list: [1] } };
      expect(await valueFrom('context["request"]["list"].append(2)\nresult(context)', context)).toEqual({
        request: { list: [1, 2] },
      });
      expect(await valueFrom('result(context)', context)).toEqual({ request: { list: [1] } });
    });

    it('reports what is logged as events and in the result, and not as an error', async () => {
      const { events, onEvent } = collectEvents();
      const source = 'log("error", "all is well")\nimport sys\nsys.stderr.write("on stderr\\n")';
      const run = await engine.executeScript(source, {}, { onEvent });
      expect(run).toMatchObject({
        exitCode: 0,
        stderr: 'on stderr\n',
        logs: [{ level: 'error', message: 'all is well' }],
      });
      expect(events).toContainEqual({ type: 'log', level: 'error', message: 'all is well' });
      expect(events).toContainEqual({ type: 'output', stream: 'stderr', line: 'on stderr' });
    });

    it('starts each script in a process of its own', async () => {
      const source =
        'import os, sys\nsys.modules["os"].leftover = True\nos.environ["LEFT"] = "over"\nresult(os.getpid())';
      const pids = [await valueFrom(source), await valueFrom(source)];
      expect(new Set(pids).size).toBe(2);
      expect(await valueFrom('import os\nresult([hasattr(os, "leftover"), os.environ.get("LEFT")])')).toEqual([
        false,
        null,
      ]);
    });
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'The context must be an object'],
    ['a list', [1], 'The context must be an object'],
    ['a text', '{"a": 1}', 'The context must be an object'],
    ['NaN', { request: { numbers: [1, Number.NaN] } }, 'context.request.numbers[1] is NaN'],
    ['Infinity', { metadata: { 'odd key': Number.POSITIVE_INFINITY } }, 'context.metadata["odd key"] is Infinity'],
    ['a big integer', { request: 1n }, 'context.request is a bigint'],
    ['a function', { request: { callback: () => 1 } }, 'context.request.callback is a function'],
    ['a symbol', { response: Symbol('s') }, 'context.response is a symbol'],
    ['a Map', { response: new Map() }, 'context.response is a Map'],
    ['a hole in a list', { response: [1, undefined] }, 'context.response[1] is undefined'],
    ['itself', circular(), 'context.request.self contains itself'],
    ['nesting without end', nested(5000), 'nested more than 500 levels deep'],
    ['a toJSON that gives none', { request: { toJSON: () => 1n } }, 'context.request is a bigint'],
    [
      'a property that throws',
      {
        get request() {
          throw new Error('no request today');
        },
      },
      'no request today',
    ],
  ])('A context with %s is INVALID_CONTEXT, with the place', async (_name, context, message) => {
    const error = await failureOf(engine.executeScript('result(1)', context as ScriptContext));
    expect(error.code).toBe('INVALID_CONTEXT');
    expect(error.message).toContain(message);
    expect(await valueFrom('result(1)')).toBe(1);
  });

  it('A context may hold what JSON writes by itself: dates, and names without a value', async () => {
    const context = { request: new Date(0), response: undefined } as unknown as ScriptContext;
    expect(await valueFrom('result(context)', context)).toEqual({ request: '1970-01-01T00:00:00.000Z' });
  });
});

function circular(): object {
  const request: { self?: object } = {};
  request.self = request;
  return { request };
}

function nested(depth: number): object {
  return Array.from({ length: depth }).reduce<object>((inner) => ({ inner }), {});
}
