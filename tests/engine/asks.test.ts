import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CallerError } from '../../src/errors.js';
import type { Ask, JsonValue, OnAsk } from '../../src/toolbox.js';
import { describeWithEngine, failureOf } from './harness.js';

const folder = join(mkdtempSync(join(tmpdir(), 'asks-')), 'servers');
mkdirSync(join(folder, 'shop'), { recursive: true });
writeFileSync(join(folder, '__init__.py'), '');
writeFileSync(
  join(folder, 'shop', '__init__.py'),
  'from mcp_execution.wrappers import package\npackage(__name__, {"order": "order", "order_async": "order"})\n',
);
writeFileSync(
  join(folder, 'shop', 'order.py'),
  `from mcp_execution.wrappers import UNSET, call, call_async
def order(item, count=UNSET): return call("shop", "order", {"item": item, "count": count}, json_text=True)
async def order_async(item): return await call_async("shop", "order", {"item": item})
`,
);

/** Answers every call with what was asked. */
const echo: OnAsk = async ({ method, params }) => textOf(JSON.stringify({ method, ...params }));
const textOf = (text: string): JsonValue => ({ content: [{ type: 'text', text }] });

const profiles = ['trusted', 'strict'] as const;
const settings = { idleChildren: 1, allowRead: [folder], profile: 'strict' } as const;

describeWithEngine('A script that asks its host', settings, (engine) => {
  const run = async (source: string, onAsk: OnAsk = echo) =>
    engine().run({ source, packages: { servers: folder } }, { onAsk });

  it('calls a tool by server and tool, or by both in one name', async () => {
    const source = `from mcp_execution import call_tool
result([call_tool("shop", "order", {"item": 1}), call_tool("shop__order", {"item": 2}), call_tool("shop", "list")])`;
    expect((await run(source)).value).toEqual([
      '{"method":"call_tool","server":"shop","tool":"order","arguments":{"item":1}}',
      '{"method":"call_tool","server":"shop__order","arguments":{"item":2}}',
      '{"method":"call_tool","server":"shop","tool":"list","arguments":{}}',
    ]);
  });

  it('imports the packages that it is offered, and leaves out arguments that are not given', async () => {
    const source = `from servers.shop import order
import servers.shop, servers.shop.order
result([order("tea"), servers.shop.order is order, order("tea", count=2)["arguments"], sorted(servers.shop.__all__)])`;
    expect((await run(source)).value).toEqual([
      { method: 'call_tool', server: 'shop', tool: 'order', arguments: { item: 'tea' } },
      true,
      { item: 'tea', count: 2 },
      ['order', 'order_async'],
    ]);
  });

  it('cannot import a package that was not made yet', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'asks-'));
    const work = { source: 'from servers.shop import order', packages: { servers: empty } };
    const failure = await failureOf(engine().run(work, { onAsk: echo }));
    expect(failure).toMatchObject({ code: 'IMPORT_ERROR', details: { module: 'servers' } });
  });

  it('gets structured content, one text, no content, or all blocks', async () => {
    const answers: Record<string, JsonValue> = {
      structured: { content: [{ type: 'text', text: 'x' }], structuredContent: { rows: [1] } },
      text: textOf('only'),
      nothing: { content: [] },
      picture: { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
    };
    const onAsk: OnAsk = async ({ params }) => answers[String(params.tool)] ?? null;
    const source = `result([call_tool("s", name) for name in ("structured", "text", "nothing", "picture")] +
      [call_tool("s", "structured", raw=True)])`;
    expect((await run(source, onAsk)).value).toEqual([
      { rows: [1] },
      'only',
      null,
      [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      answers.structured,
    ]);
  });

  it('gets blocks of text without a text as they are', async () => {
    const odd: JsonValue = [{ type: 'text' }];
    const onAsk: OnAsk = async ({ params }) => ({ content: odd, isError: params.tool === 'bad' });
    const source = `from mcp_execution import ToolError
try: call_tool("s", "bad")
except ToolError as error: result([error.text, error.content, call_tool("s", "good")])`;
    expect((await run(source, onAsk)).value).toEqual(['The tool failed, and said nothing of why', odd, odd]);
  });

  it('catches what a tool, or the host, refused', async () => {
    const onAsk: OnAsk = async ({ params }) => {
      if (params.tool === 'bad') return { ...(textOf('no such row') as object), isError: true } as JsonValue;
      if (params.tool === 'odd') throw new Error('a secret of the host');
      throw new CallerError('NOT_ALLOWED', 'The policy does not permit s/forbidden');
    };
    const source = `from mcp_execution import ToolError
caught = []
for name in ("bad", "forbidden", "odd"):
    try: call_tool("s", name)
    except ToolError as error: caught.append([error.code, error.text, error.server, error.tool, len(error.content)])
result(caught)`;
    expect((await run(source, onAsk)).value).toEqual([
      ['TOOL_FAILED', 'no such row', 's', 'bad', 1],
      ['NOT_ALLOWED', 'The policy does not permit s/forbidden', 's', 'forbidden', 0],
      ['WIRE_BROKEN', 'The host could not answer; its log has the reason', 's', 'odd', 0],
    ]);
  });

  it('fails with a ToolError that it does not catch', async () => {
    const onAsk: OnAsk = async () => ({ ...(textOf('no such row') as object), isError: true }) as JsonValue;
    const error = await failureOf(run('call_tool("s", "t")', onAsk));
    expect(error).toMatchObject({ code: 'EXCEPTION', message: 'no such row' });
    expect(error.details).toMatchObject({ type: 'ToolError', line: 1 });
  });

  it('has many questions open at once, in tasks', async () => {
    const all = meeting(40);
    const source = `import asyncio
answers = await asyncio.gather(*(call_tool_async("s", "t", {"i": i}) for i in range(40)))
result([len(answers), call_tool("s", "after")])`;
    expect((await run(source, all)).value).toEqual([40, 'met']);
  });

  it('is asked over one connection by threads that begin at the same moment', async () => {
    const source = `import sys, threading
from mcp_execution import call_tool
sys.setswitchinterval(1e-6)
answers, all_there = [], threading.Barrier(24)
def ask():
    all_there.wait()
    answers.append(call_tool("s", "t"))
threads = [threading.Thread(target=ask) for _ in range(24)]
for thread in threads: thread.start()
for thread in threads: thread.join()
result(len(answers))`;
    for (let round = 0; round < 5; round += 1) expect((await run(source)).value).toBe(24);
  });

  it('has many questions open at once, in threads', async () => {
    const source = `from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(12) as pool: result(list(pool.map(lambda i: call_tool("s", "t", {"i": i}), range(12))))`;
    expect((await run(source, meeting(12))).value).toEqual(Array(12).fill('met'));
  });

  it('takes back a question of a task that was cancelled', async () => {
    let givenUp: Promise<unknown> = Promise.resolve();
    const onAsk: OnAsk = async ({ params, signal }) => {
      if (params.tool !== 'slow') {
        await givenUp;
        return textOf('given up');
      }
      givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await givenUp;
      return null;
    };
    const source = `import asyncio
try: await asyncio.wait_for(call_tool_async("s", "slow"), 0.05)
except asyncio.TimeoutError: result(call_tool("s", "look"))`;
    expect((await run(source, onAsk)).value).toBe('given up');
  });

  it('takes its questions back when it ends, or is ended', async () => {
    const asked: Ask[] = [];
    const onAsk: OnAsk = (ask) => {
      asked.push(ask);
      return new Promise(() => {});
    };
    const error = await failureOf(
      engine().run({ source: 'call_tool("s", "t")' }, { onAsk, limits: { timeoutMs: 1000 } }),
    );
    expect(error.code).toBe('TIMEOUT');
    await engine().run(
      {
        source: `import threading
threading.Thread(target=lambda: call_tool("s", "t"), daemon=True).start()
import time
time.sleep(0.2)`,
      },
      { onAsk },
    );
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('gets an answer of many megabytes, and an error for one beyond the limit', async () => {
    const onAsk: OnAsk = async ({ params }) => textOf('x'.repeat(Number(params.tool)));
    const source = `from mcp_execution import ToolError
size = len(call_tool("s", "30000000"))
try: call_tool("s", "70000000")
except ToolError as error: result([size, error.code, len(call_tool("s", "3"))])`;
    expect((await run(source, onAsk)).value).toEqual([30_000_000, 'RESULT_LIMIT', 3]);
  });

  it('says what it asks in JSON, whatever it is made of', async () => {
    const source = `from dataclasses import dataclass
from datetime import date
@dataclass
class Item: name: str
result(call_tool("s", "t", {"item": Item("tea"), "day": date(2026, 1, 2), "tags": {"a"}}, raw=True)["content"][0]["text"])`;
    expect((await run(source)).value).toBe(
      '{"method":"call_tool","server":"s","tool":"t","arguments":{"item":{"name":"tea"},"day":"2026-01-02","tags":["a"]}}',
    );
  });

  it.each([
    ['call_tool(3)', 'server must be a text, not int'],
    ['call_tool("s", "t", 5)', 'The arguments of a tool are a dict, not int'],
    ['call_tool("s", "t", {"a": object()})', 'object'],
    ['search_tools(1)', 'words must be a text, not int'],
  ])('is told at once what is wrong with %s', async (source, message) => {
    const error = await failureOf(run(source));
    expect(error.message).toContain(message);
  });

  it('finds nobody to ask where the host offers nothing', async () => {
    const error = await failureOf(engine().run({ source: 'from mcp_execution import call_tool\ncall_tool("s", "t")' }));
    expect(error.message).toBe(
      'call_tool is for scripts run by mcp-exec run or execute_script: here, no tools are offered',
    );
  });

  it('is ended where it writes questions that have no form, and harms no other', async () => {
    const source = 'import os\nos.write(4, b"C\\0\\0\\0\\2{}")\nimport time\ntime.sleep(9)';
    const [error, good] = await Promise.all([failureOf(run(source)), run('result(call_tool("s", "t"))')]);
    expect(error.code).toBe('PROCESS_FAILED');
    expect(good.value).toContain('"tool":"t"');
  });

  it('that floods its host with questions is refused, and goes on', async () => {
    const never: OnAsk = async ({ params, signal }) => {
      if (params.tool !== 'after') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return textOf('fine');
    };
    const source = `import asyncio
from mcp_execution import ToolError
async def ask():
    try: await call_tool_async("s", "t", {"text": "x" * 1000})
    except ToolError as error: return error.code
tasks = [asyncio.create_task(ask()) for _ in range(10_100)]
done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
while len(done) < 100: done, rest = await asyncio.wait(tasks, timeout=0.1)
for task in rest: task.cancel()
await asyncio.gather(*rest, return_exceptions=True)
result([{task.result() for task in done}, call_tool("s", "after")])`;
    expect((await run(source, never)).value).toEqual([['QUEUE_FULL'], 'fine']);
  });

  it('that does not read its answers has few of them made, and gets the rest when it reads', async () => {
    let made = 0;
    let turn: Promise<JsonValue> = Promise.resolve(null);
    const onAsk: OnAsk = ({ room }) => {
      turn = turn.then(async () => {
        await room?.();
        made += 1;
        return 'x'.repeat(1_000_000);
      });
      return turn;
    };
    const source = `import time
from mcp_execution import _run
channel = _run.asker()._channel
for number in range(1, 31): channel.send(b"C", {"id": number, "method": "read_output", "params": {}})
time.sleep(1)
print("reads")
result(sum(len(channel.receive()[1]["value"]) for number in range(30)))`;
    let madeUnread = 0;
    const onEvent = () => {
      madeUnread = made;
    };
    const { value } = await engine().run({ source }, { onAsk, onEvent });
    expect(value).toBe(30_000_000);
    expect(madeUnread).toBeLessThan(15);
  }, 30_000);

  it('that goes on asking where it is refused, and never reads that, is ended', async () => {
    const never: OnAsk = () => new Promise(() => {});
    const source = `import os, json, struct
def frame(number):
    body = json.dumps({"id": number, "method": "m", "params": {}}).encode()
    return b"C" + struct.pack(">I", len(body)) + body
number = 0
while True:
    frames = memoryview(b"".join(frame(number + one) for one in range(1000)))
    number += 1000
    while frames: frames = frames[os.write(4, frames):]`;
    const error = await failureOf(engine().run({ source }, { onAsk: never, limits: { timeoutMs: 50_000 } }));
    expect(error).toMatchObject({ code: 'PROCESS_FAILED' });
    expect(error.message).toContain('without reading');
  }, 60_000);
});

describeWithEngine('A function of a script', { idleChildren: 1 }, (engine) => {
  it.each(profiles)('cannot ask its host (%s)', async (profile) => {
    const script = join(mkdtempSync(join(tmpdir(), 'asks-')), 'asks.py');
    writeFileSync(script, 'from mcp_execution import call_tool\ndef ask(): return call_tool("s", "t")\n');
    const error = await failureOf(engine().call({ script, function: 'ask' }, { onAsk: echo, profile }));
    expect(error.message).toContain('no tools are offered');
  });
});

/** Answers when that many questions are open, and every one after. */
function meeting(count: number): OnAsk {
  let here = 0;
  let meet = (): void => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  return async () => {
    here += 1;
    if (here === count) meet();
    await met;
    return textOf('met');
  };
}
