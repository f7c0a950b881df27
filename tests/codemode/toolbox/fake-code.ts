import type {
  CodeExecution,
  DiscoverSchemasOptions,
  ExecuteOptions,
  ExecuteResult,
  GenerateOptions,
} from '../../../src/codemode/code-execution.js';
import type { CallRecord, RunFigures } from '../../../src/toolbox.js';

export interface FakeCode extends CodeExecution {
  readonly executed: readonly ExecuteOptions[];
  readonly generated: readonly GenerateOptions[];
  readonly discovered: readonly DiscoverSchemasOptions[];
  readonly isClosed: () => boolean;
}

type Given = Partial<Omit<CodeExecution, 'executeScript'>> & {
  readonly executeScript?: (options: ExecuteOptions) => Promise<Partial<ExecuteResult>> | Partial<ExecuteResult>;
};

/** Operations in memory, which note what they were asked for. */
export function fakeCode({ executeScript, ...given }: Given = {}): FakeCode {
  const executed: ExecuteOptions[] = [];
  const generated: GenerateOptions[] = [];
  const discovered: DiscoverSchemasOptions[] = [];
  let closed = false;
  return {
    servers: ['github', 'slack'],
    workspace: '/nowhere/workspace',
    async generateWrappers(options = {}) {
      generated.push(options);
      return { folder: '/nowhere/workspace/servers', servers: [], written: [], removed: [], unchanged: 0 };
    },
    async discoverSchemas(options = {}) {
      discovered.push(options);
      return { tools: [], failures: [] };
    },
    searchTools: async () => ({ tools: [], failures: [] }),
    describeTool: async () => {
      throw new Error('not asked for');
    },
    callTool: async () => ({ content: [], isError: false }),
    configs: [],
    warm: async () => undefined,
    attend: async () => ({ run: 'run', onAsk: async () => null, end: async () => undefined }),
    savedScripts: async () => [],
    readOutput: async () => '',
    async close() {
      closed = true;
    },
    ...given,
    async executeScript(options) {
      executed.push(options);
      return runResult(await executeScript?.(options));
    },
    executed,
    generated,
    discovered,
    isClosed: () => closed,
  };
}

export function runResult(given: Partial<ExecuteResult> = {}): ExecuteResult {
  return {
    run: 'r1',
    value: null,
    stdout: '',
    stderr: '',
    logs: [],
    files: [],
    calls: [],
    figures,
    cut: [],
    warnings: [],
    ...given,
  };
}

export const figures: RunFigures = {
  queueMs: 0,
  wallMs: 1,
  cpuMs: 1,
  peakMemoryBytes: 1,
  addedMemoryBytes: 1,
  isolation: 'call',
  launcher: 'fork',
  python: '3.12.0',
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

export function callRecord(server: string, tool: string, given: Partial<CallRecord> = {}): CallRecord {
  return { server, tool, atMs: 0, wallMs: 2, outcome: 'done', sentBytes: 2, receivedBytes: 2, ...given };
}
