import type { ScriptOutcome, ScriptRunner, ScriptRunOptions, ScriptWork } from '../../src/codemode/script-runner.js';
import { CallerError } from '../../src/errors.js';
import type { Ask, CallOptions, JsonObject, JsonValue, RunFigures, Tool, ToolResult } from '../../src/toolbox.js';
import type { ListedTools, ToolSource } from '../../src/toolsource.js';

export interface FakeTool extends Partial<Tool> {
  /** Its answer; an echo of the arguments unless said. */
  readonly answer?: (args: JsonObject, options: CallOptions) => ToolResult | Promise<ToolResult>;
}

export interface FakeServer {
  readonly tools: Readonly<Record<string, FakeTool>>;
  readonly title?: string;
  readonly instructions?: string;
  /** What `list` and `call` throw instead. */
  readonly failure?: Error;
  /** The list is said to be remembered, and this is what the server itself says. */
  readonly fresh?: Readonly<Record<string, FakeTool>>;
}

export interface FakeSource extends ToolSource {
  readonly calls: readonly { readonly server: string; readonly tool: string; readonly args: JsonObject }[];
  readonly lists: readonly { readonly server: string; readonly fresh: boolean }[];
  readonly isClosed: boolean;
  /** The server has other tools from now on, and says so. */
  change(server: string, to: FakeServer): void;
}

/** MCP servers in memory. */
export function fakeSource(given: Readonly<Record<string, FakeServer>>): FakeSource {
  const servers = new Map(Object.entries(given));
  const calls: { server: string; tool: string; args: JsonObject }[] = [];
  const lists: { server: string; fresh: boolean }[] = [];
  const listeners = new Set<(server: string) => void>();
  let isClosed = false;

  return {
    names: [...servers.keys()],
    calls,
    lists,
    get isClosed() {
      return isClosed;
    },
    change(server, to) {
      servers.set(server, to);
      for (const listener of listeners) listener(server);
    },
    async list(server, { fresh = false } = {}): Promise<ListedTools> {
      lists.push({ server, fresh });
      const found = serverOf(server);
      const { title, instructions } = found;
      const isRemembered = found.fresh !== undefined && !fresh;
      return { tools: toolsOf(fresh ? (found.fresh ?? found.tools) : found.tools), title, instructions, isRemembered };
    },
    async call(server, tool, args, options = {}) {
      calls.push({ server, tool, args });
      const { tools, fresh } = serverOf(server);
      const found = { ...tools, ...fresh }[tool];
      if (found === undefined) throw new CallerError('UNKNOWN_TOOL', `The MCP server has no tool ${tool}.`);
      return (await found.answer?.(args, options)) ?? { content: [{ type: 'text', text: JSON.stringify(args) }] };
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async close() {
      isClosed = true;
    },
  };

  function serverOf(name: string): FakeServer {
    const found = servers.get(name);
    if (found === undefined) throw new CallerError('UNKNOWN_SERVER', `There is no MCP server ${name}.`);
    if (found.failure) throw found.failure;
    return found;
  }
}

function toolsOf(tools: FakeServer['tools']): Tool[] {
  return Object.entries(tools).map(([name, { answer: _answer, ...tool }]) => ({
    inputSchema: { type: 'object' },
    ...tool,
    name,
  }));
}

/** What a script does, in TypeScript: it asks, prints, and gives back its value. */
export type FakeScript = (script: {
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonValue>;
  print(line: string, stream?: 'stdout' | 'stderr'): Promise<void>;
  readonly signal: AbortSignal;
  readonly work: ScriptWork;
  readonly options: ScriptRunOptions;
}) => Promise<JsonValue | undefined>;

export interface FakeRunner extends ScriptRunner {
  readonly works: readonly ScriptWork[];
  readonly isClosed: boolean;
}

/** Runs the given function in place of Python; the source of the script is only kept. */
export function fakeRunner(script: FakeScript): FakeRunner {
  const works: ScriptWork[] = [];
  let isClosed = false;
  return {
    works,
    get isClosed() {
      return isClosed;
    },
    async warm() {},
    async run(work, options = {}): Promise<ScriptOutcome> {
      works.push(work);
      const over = new AbortController();
      const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
      const text = { stdout: '', stderr: '' };
      const ask = async (method: string, params: JsonObject, own?: AbortSignal) => {
        const asked: Ask = { method, params, signal: own ? AbortSignal.any([own, signal]) : signal };
        if (!options.onAsk) throw new Error('nobody answers');
        return throughJson(await options.onAsk(asked));
      };
      const print = async (line: string, stream: 'stdout' | 'stderr' = 'stdout') => {
        text[stream] += `${line}\n`;
        await options.onEvent?.({ type: 'output', stream, line });
      };
      try {
        const value = await script({ ask, print, signal, work, options });
        return { value: value ?? null, ...text, logs: [], files: [], figures: fakeFigures };
      } finally {
        over.abort();
      }
    },
    async close() {
      isClosed = true;
    },
  };
}

function throughJson(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

export const fakeFigures: RunFigures = {
  queueMs: 0,
  wallMs: 1,
  cpuMs: 1,
  peakMemoryBytes: 1,
  addedMemoryBytes: 1,
  isolation: 'call',
  launcher: 'fork',
  python: '3.12.1',
  profile: 'strict',
  enforced: {
    files: 'enforced',
    network: 'enforced',
    processes: 'enforced',
    memory: 'enforced',
    cpu: 'enforced',
    disk: 'enforced',
  },
};
