import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { ConfigSource, McpConfig } from '../client/config/config.js';
import type { Approve, CodeExecution } from '../codemode/code-execution.js';
import { type CodeSettings, type CodeSettingsInput, codeSettingFamily } from '../codemode/settings.js';
import { openWorkspace, type Workspace } from '../codemode/workspace.js';
import { parseSettings, type Settings, type SettingsInput } from '../config.js';
import { CallerError } from '../errors.js';
import { createLog, type Log } from '../log.js';
import { createCodeEngine } from './code-engine.js';
import { guardPython } from './guard-python.js';

export interface OpenCodeOptions {
  readonly code: CodeSettings;
  readonly engine: Settings;
  /** In place of the files that the settings name. */
  readonly config?: readonly ConfigSource[];
  /** Values of inputs that a config asks for. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Asks the person; calls that need that are refused where nobody can be asked. */
  readonly approve?: Approve;
  /** Told when an MCP server is about to be started, and when it has introduced itself. */
  readonly onServerStart?: (server: string) => void;
  readonly onServerStarted?: (server: string) => void;
  readonly identity?: { readonly name: string; readonly version: string };
}

/** What the library takes: the settings of code execution, and beside them those of the engine. */
export interface CodeExecutionInput extends Omit<CodeSettingsInput, 'config'> {
  /** Files, names of clients whose file is meant, or `{ mcpServers: … }` itself. */
  readonly config?: ConfigSource | readonly ConfigSource[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly engine?: SettingsInput;
  readonly environment?: NodeJS.ProcessEnv;
  readonly log?: Log;
  readonly approve?: Approve;
}

/** MCP servers as importable Python, for as long as it is open: servers and processes stay warm. */
export async function createCodeExecution(input: CodeExecutionInput = {}): Promise<CodeExecution> {
  const { config, inputs, engine: engineInput, environment = process.env, log, approve, ...given } = input;
  const engine = parseSettings(engineInput);
  const { logLevel: level, secrets, logFile: file } = engine;
  return openCodeExecution({
    code: codeSettingFamily.parse(given),
    engine,
    ...(config !== undefined && { config: isList(config) ? config : [config] }),
    inputs,
    environment,
    log: log ?? createLog({ level, secrets, file }),
    approve,
  });
}

/** Everything that can be wrong with what is given is said here; servers and Python are started when they are needed. */
export async function openCodeExecution(options: OpenCodeOptions): Promise<CodeExecution> {
  const { code, environment, log, inputs, identity } = options;
  refuseTrusted(options.engine);
  const { entries, files } = await readConfig(options);
  const workspace = await openWorkspace(code.workspace);
  await refuseReadable(files, workspace);
  const [{ createServers }, { createLogins }, { createOperations }, { createTracing }, { cacheFolder }] =
    await Promise.all([
      import('../client/servers/servers.js'),
      import('../client/oauth/logins.js'),
      import('../codemode/operations.js'),
      import('../tracing/tracing.js'),
      import('../python/cache-folder.js'),
    ]);
  const settings = strictSettings(options.engine, code, workspace);
  const source = createServers(entries, {
    log,
    identity,
    cacheDir: await cacheFolder({ cacheDir: settings.cacheDir }),
    python: await guardPython(settings, environment),
    callTimeoutMs: code.callTimeoutMs,
    startTimeoutMs: code.startTimeoutMs,
    onStart: options.onServerStart,
    onStarted: options.onServerStarted,
    logins: createLogins({ environment, note: (line) => log.warn(line) }),
  });
  const tracing = await createTracing({
    environment,
    identity: identity ?? { name: 'mcp-execution', version: '0' },
    log,
  });
  const engine = await createCodeEngine(workspace, settings, log);
  const { approve } = options;
  const operations = await createOperations({
    configs: files,
    source,
    runner: engine.get,
    workspace,
    settings: code,
    approve,
    tracing,
    log,
  });
  return {
    ...operations,
    async close() {
      await operations.close();
      await Promise.all([source.close(), engine.close(), tracing?.close()]);
    },
  };

  async function readConfig(given: OpenCodeOptions): Promise<McpConfig> {
    const { readMcpConfig } = await import('../client/config/config.js');
    const config = await readMcpConfig(given.config ?? code.config, { environment, cwd: process.cwd(), inputs });
    for (const note of config.notes) log.warn(note);
    return config;
  }
}

/** Scripts read the generated wrappers, and nothing else of the workspace: a config with secrets may lie there. */
function strictSettings(engine: Settings, code: CodeSettings, { servers }: Workspace): Settings {
  const { allowRead = [] } = engine;
  return {
    ...engine,
    profile: 'strict',
    allowRead: allowRead === true ? true : [...allowRead.map((path) => resolve(path)), servers],
    concurrency: code.maxRuns,
  };
}

/** What lies in `servers/` is what scripts read. */
async function refuseReadable(configs: readonly string[], { servers }: Workspace): Promise<void> {
  const readable = `${await realpath(servers)}${sep}`;
  for (const config of configs) {
    const place = await realpath(config).catch(() => config);
    if (!place.startsWith(readable)) continue;
    const message = `The config ${config} lies in ${servers}, where scripts could read its secrets. Move it elsewhere, or name another folder with --workspace.`;
    throw new CallerError('INVALID_WORKSPACE', message);
  }
}

function refuseTrusted({ profile, allowAll }: Settings): void {
  if (profile !== 'trusted' && !allowAll) return;
  const message =
    'Scripts that call tools run under profile strict; allow what one needs with allowRead, allowWrite, allowNet or allowRun';
  throw new CallerError('INVALID_SETTING', message, { setting: allowAll ? 'allowAll' : 'profile' });
}

function isList(config: ConfigSource | readonly ConfigSource[]): config is readonly ConfigSource[] {
  return Array.isArray(config);
}
