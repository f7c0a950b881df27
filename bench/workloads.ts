import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { SettingsInput } from '../src/config.js';
import { createEngine } from '../src/engine/engine.js';
import { PythonEngine } from '../src/engine/python-engine.js';
import type { Engine, RunOptions, RunResult } from '../src/engine/work.js';
import { type Contender, checkAnswer, type Sizes, sizes } from './contenders/contender.js';
import { createEngineContender } from './contenders/engine.js';
import { createFloor } from './contenders/floor.js';
import { createFresh } from './contenders/fresh.js';
import { httpContenders, slowContenders } from './http.js';
import { stdioContenders } from './serving.js';

export const workloadNames = ['trivial', 'heavy', 'unseen', 'precompiled', 'strict', 'stdio', 'http', 'slow'] as const;
export type WorkloadName = (typeof workloadNames)[number];

export interface Workload {
  readonly name: WorkloadName;
  readonly title: string;
  /** What the first contender is called in the heads of columns; 'fresh' unless said. */
  readonly baseline?: string;
  /** The first is what the others are compared with. */
  createContenders(python: string): Promise<readonly Contender[]>;
}

const folder = resolve('bench', 'python');
const idleMs = 600_000;

/** The names by which targets find their contender. */
export const isolatedCall = 'isolation call: forked ahead';
const sessionCall = 'isolation session';
const sharedCall = 'isolation shared';
const warmCall = 'isolation call: warm interpreters';
export const executeScript = 'executeScript with context';
export const executePrecompiled = 'executePrecompiled with context';
export const strictCall = 'strict';

export const workloads: readonly Workload[] = [
  {
    name: 'trivial',
    title: 'Trivial script: a function that adds two numbers',
    createContenders: async (python) => functionContenders(python, 'trivial', sizes.fresh),
  },
  {
    name: 'heavy',
    title: 'Heavy imports: the same function after twenty imports from the standard library',
    createContenders: async (python) => functionContenders(python, 'heavy', sizes.heavyFresh),
  },
  { name: 'unseen', title: 'Unseen source: another text in each call', createContenders: unseenContenders },
  {
    name: 'precompiled',
    title: 'The same source in each call, with a context',
    createContenders: precompiledContenders,
  },
  {
    name: 'strict',
    title: 'The sandbox: the trivial script, trusted and strict',
    baseline: 'trusted',
    createContenders: async () => strictContenders(),
  },
  {
    name: 'stdio',
    title: 'Warm calls of a tool over MCP on stdio',
    baseline: 'the first',
    createContenders: stdioContenders,
  },
  {
    name: 'http',
    title: 'Calls of a tool over MCP on HTTP, by eight official clients',
    baseline: 'the first',
    createContenders: httpContenders,
  },
  {
    name: 'slow',
    title: 'The same, of a tool that takes 200 ms',
    baseline: 'the first',
    createContenders: slowContenders,
  },
];

export function benchScript(name: 'trivial' | 'heavy'): string {
  return resolve(folder, `${name}.py`);
}

function functionContenders(python: string, name: 'trivial' | 'heavy', spawned: Sizes): Contender[] {
  const script = benchScript(name);
  let calls = 0;
  const nextArgs = () => ({ a: ++calls, b: 1 });
  const calling = (engine: Engine, optionsOf: (slot: number) => RunOptions) => async (slot: number) => {
    const args = nextArgs();
    const { value } = await engine.call({ script, function: 'add', args }, optionsOf(slot));
    checkAnswer(value, args.a + 1);
  };
  const measured = (title: string, held: Sizes, engine: Engine, optionsOf: (slot: number) => RunOptions = () => ({})) =>
    createEngineContender(title, held, engine, calling(engine, optionsOf));
  return [
    createFresh(python, spawned, () => {
      const args = nextArgs();
      return {
        args: [resolve(folder, 'fresh.py'), name, 'add'],
        input: JSON.stringify(args),
        check: (output) => checkAnswer(Number(output), args.a + 1),
      };
    }),
    measured(isolatedCall, sizes.forked, createEngine({ launcher: 'fork', idleMs })),
    measured(sessionCall, sizes.kept, createEngine({ isolation: 'session', idleMs }), (slot) => ({
      session: `s${slot}`,
    })),
    measured(sharedCall, sizes.kept, createEngine({ isolation: 'shared', idleMs })),
    measured(warmCall, spawned, createEngine({ launcher: 'warm', idleMs })),
    createFloor(python, [resolve(folder, 'floor.py'), name], sizes.floor, () => {
      const args = nextArgs();
      return { request: { function: 'add', args }, check: (answer) => checkAnswer(answer, args.a + 1) };
    }),
  ];
}

function strictContenders(): Contender[] {
  const script = benchScript('trivial');
  let calls = 0;
  const contender = (name: string, settings: SettingsInput) => {
    const engine = createEngine({ launcher: 'fork', idleMs, ...settings });
    return createEngineContender(name, sizes.forked, engine, async () => {
      const args = { a: ++calls, b: 1 };
      const { value } = await engine.call({ script, function: 'add', args });
      checkAnswer(value, args.a + 1);
    });
  };
  return [
    contender('trusted', {}),
    contender(strictCall, { profile: 'strict' }),
    contender('strict, without namespaces', { profile: 'strict', namespaces: 'off' }),
  ];
}

async function unseenContenders(python: string): Promise<Contender[]> {
  const running = (engine: Engine) => async () => {
    const { source, output } = unseenSource();
    checkAnswer((await engine.run({ source })).stdout, output);
  };
  const forked = createEngine({ launcher: 'fork', idleMs });
  const warm = createEngine({ launcher: 'warm', idleMs });
  const whole = new PythonEngine({ launcher: 'fork', idleMs });
  return [
    createFresh(python, sizes.fresh, () => {
      const { source, output } = unseenSource();
      return { args: ['-c', source], input: '', check: (text) => checkAnswer(text, output) };
    }),
    createEngineContender(isolatedCall, sizes.forked, forked, running(forked)),
    createEngineContender(executeScript, sizes.forked, whole, async () => {
      const { source, output } = unseenSource();
      checkAnswer((await whole.executeScript(source, context)).stdout, output);
    }),
    createEngineContender(warmCall, sizes.fresh, warm, running(warm)),
    createFloor(python, [resolve(folder, 'floor.py'), 'trivial'], sizes.floor, () => {
      const { source, output } = unseenSource();
      return { request: { source }, check: (answer) => checkAnswer(answer, output) };
    }),
  ];
}

function unseenSource(): { source: string; output: string } {
  const id = randomUUID();
  const source = `
import json

def squares_of_even(numbers):
    return [number ** 2 for number in numbers if number % 2 == 0]

print(json.dumps({"id": "${id}", "squares": sum(squares_of_even(range(100)))}))
`;
  return { source, output: `${JSON.stringify({ id, squares: 161700 }).replace(/[:,]/g, '$& ')}\n` };
}

const context = {
  request: { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
  response: { content: [{ type: 'text', text: '3' }], isError: false },
  metadata: { testName: 'adds', toolName: 'add', serverInfo: { name: 'bench', version: '1' } },
};

const validation = `
problems = []
if context["response"]["isError"]:
    problems.append("the tool failed")
for block in context["response"]["content"]:
    if block["type"] == "text" and not block["text"].isdigit():
        problems.append("not a number: " + block["text"])
result({"valid": not problems, "problems": problems, "tool": context["metadata"]["toolName"]})
`;
const validated = JSON.stringify({ valid: true, problems: [], tool: 'add' });

async function precompiledContenders(python: string): Promise<Contender[]> {
  const preamble =
    'import json, sys\ncontext = json.load(sys.stdin)\nresult = lambda value: print(json.dumps(value))\n';
  const checked = ({ value }: RunResult) => checkAnswer(JSON.stringify(value), validated);
  const fromSource = new PythonEngine({ launcher: 'fork', idleMs });
  const engine = new PythonEngine({ launcher: 'fork', idleMs });
  const script = await engine.precompileScript(validation);
  return [
    createFresh(python, sizes.fresh, () => ({
      args: ['-c', preamble + validation],
      input: JSON.stringify(context),
      check: (output) => checkAnswer(JSON.stringify(JSON.parse(output)), validated),
    })),
    createEngineContender(executeScript, sizes.forked, fromSource, async () =>
      checked(await fromSource.executeScript(validation, context)),
    ),
    createEngineContender(executePrecompiled, sizes.forked, engine, async () =>
      checked(await engine.executePrecompiled(script, context)),
    ),
  ];
}
