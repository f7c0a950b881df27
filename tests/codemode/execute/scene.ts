import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { ExecuteOptions, ToolChange } from '../../../src/codemode/code-execution.js';
import { createExecute, type Execute, type ExecuteParts } from '../../../src/codemode/execute/execute.js';
import { type CodeSettingsInput, codeSettingFamily } from '../../../src/codemode/settings.js';
import { openWorkspace, type Workspace } from '../../../src/codemode/workspace.js';
import { createLog } from '../../../src/log.js';
import type { Tool } from '../../../src/toolbox.js';
import { createFolder } from '../../interpreter/scripts.js';
import {
  type FakeRunner,
  type FakeScript,
  type FakeServer,
  type FakeSource,
  fakeRunner,
  fakeSource,
} from '../fakes.js';

export interface Scene {
  readonly code: Execute;
  readonly source: FakeSource;
  readonly runner: FakeRunner;
  readonly workspace: Workspace;
  /** Lines of the structured log. */
  readonly logged: readonly Record<string, unknown>[];
  run(options?: ExecuteOptions): ReturnType<Execute['execute']>;
  runLog(): Promise<readonly Record<string, unknown>[]>;
}

export interface SceneOptions
  extends Partial<Pick<ExecuteParts, 'approve' | 'checkDrift' | 'resultSchemas' | 'search' | 'tracing'>> {
  readonly servers?: Readonly<Record<string, FakeServer>>;
  readonly settings?: CodeSettingsInput;
  readonly pinned?: Readonly<Record<string, readonly Tool[]>>;
  readonly runner?: FakeRunner;
}

export const twoServers: Readonly<Record<string, FakeServer>> = {
  github: {
    tools: {
      list_issues: { annotations: { readOnlyHint: true } },
      create_issue: {},
      delete_repo: { annotations: { readOnlyHint: true, destructiveHint: true } },
    },
  },
  slack: { tools: { post: {}, read: { annotations: { readOnlyHint: true } } } },
};

/** Code execution whose scripts are functions and whose servers are in memory. */
export async function openScene(script: FakeScript, options: SceneOptions = {}): Promise<Scene> {
  const { servers = twoServers, settings = {}, pinned = {}, runner = fakeRunner(script), ...others } = options;
  const workspace = await openWorkspace(await createFolder());
  const source = fakeSource(servers);
  const logged: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', environment: {}, write: (line) => logged.push(JSON.parse(line)) });
  const code = createExecute({
    source,
    runner: async () => runner,
    workspace,
    settings: codeSettingFamily.parse(settings),
    log,
    resultSchemas: () => undefined,
    checkDrift: () => undefined,
    pins: async () => ({
      tools: (server) => {
        const tools = pinned[server];
        return tools && new Map(tools.map((tool) => [tool.name, tool]));
      },
      changes: (server, tools) => changesOf(pinned[server] ?? [], tools),
    }),
    search: {
      search: async () => ({ tools: [], failures: [] }),
      describe: async (server, tool = '') => ({
        server,
        tool,
        description: '',
        signature: '',
        import: '',
        inputSchema: {},
      }),
    },
    ...others,
  });
  onTestFinished(() => code.close());
  return {
    code,
    source,
    runner,
    workspace,
    logged,
    run: (given = {}) => code.execute({ ...(hasScript(given) ? {} : { script: 'pass' }), ...given }),
    async runLog() {
      const text = await readFile(workspace.logFile, 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

function hasScript({ script, path, saved }: ExecuteOptions): boolean {
  return (script ?? path ?? saved) !== undefined;
}

function changesOf(before: readonly Tool[], now: readonly Tool[]): readonly ToolChange[] {
  const said = new Map(before.map(({ name, description }) => [name, description]));
  return now
    .filter(({ name, description }) => said.get(name) !== description)
    .map(({ name }) => ({ tool: name, change: said.has(name) ? 'changed' : 'added' }));
}

/** What the script saw of an error that it caught. */
export async function caught(asking: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await asking;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: String(error.code), message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}
