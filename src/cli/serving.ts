import { basename, extname, relative } from 'node:path';
import type { Settings } from '../config.js';
import { createScriptToolbox, type ScriptToolbox } from '../engine/toolbox/toolbox.js';
import { CallerError } from '../errors.js';
import type { Log } from '../log.js';
import { type Exploration, explore } from '../manifest/explore.js';
import type { Manifest, ManifestScript } from '../manifest/manifest.js';
import { packageVersion } from '../python/package.js';
import type { HealthServer } from '../server/health.js';
import { type StdioServer, serveStdio } from '../server/stdio.js';
import { pythonFor } from '../services/python-for.js';
import { claimStdout } from './claim-stdout.js';
import { createLater } from './later.js';
import { createLogFor } from './log-file.js';
import { areRead, listenForEnd, type Streams } from './serving-end.js';
import type { Terminal } from './terminal.js';

export interface ServeFlags {
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
  readonly watch?: boolean;
  readonly partial?: boolean;
  readonly healthPort?: number;
}

/** Serves scripts until the client leaves. Nothing that the first list of tools can do without happens before it. */
export async function serveTargets(
  targets: readonly string[],
  flags: ServeFlags,
  settings: Settings,
  terminal: Terminal,
  streams: Streams = { input: process.stdin, output: claimStdout(), abandon: process.exit },
): Promise<number> {
  const parent = process.ppid;
  const end = listenForEnd(terminal.interrupt);
  const log = createLogFor(settings);
  const { environment } = terminal;
  const { only, exclude } = flags;
  const { python, cacheDir } = settings;
  const findTools = () => explore(targets, { only, exclude, python, cacheDir, environment, signal: end.signal, log });
  const exploration = await findTools().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  if (exploration === undefined) return end.exitCode();
  tellProblems(exploration, log);
  const { manifest } = exploration;
  const toolbox = createScriptToolbox({
    manifest,
    // The same log for both, so that a log file has the entries of the engine too.
    engine: async () => (await import('../engine/engine.js')).createEngine(settings, { log }),
    pythonFor: (script) =>
      pythonFor(script, settings, { environment, signal: end.signal, onProgress: tellPackages(log, script) }),
    keepsVersions: flags.watch,
    log,
  });
  const health = await startHealth(flags.healthPort, toolbox, terminal);
  const later = createLater(async () => {
    toolbox.warm().catch((error: unknown) => log.debug('the warm-up ended early', { error }));
    return flags.watch ? startWatching() : undefined;
  });
  const server: StdioServer = serveStdio(toolbox, {
    ...streams,
    ...describe(manifest),
    version: packageVersion(),
    partial: flags.partial,
    previewBytes: settings.previewBytes,
    log,
    isOrphaned: () => process.ppid !== parent,
    onListed: later.begin,
  });
  if (streams.input.isTTY) tellPerson(targets, terminal);
  server.closed.then(end.bringAbout);
  await end.reached;
  await server.close();
  streams.input.destroy();
  await Promise.all([toolbox.close(), health?.close(), later.close()]);
  if (streams.abandon && !(await areRead([streams.output, process.stderr]))) streams.abandon(end.exitCode());
  return end.exitCode();

  async function startWatching() {
    const { watchTargets } = await import('../services/watching.js');
    return watchTargets({ targets, manifest, findTools, toolbox, server, log });
  }
}

/** Scripts that cannot be served are told of; where none can, or no tool is left, there is nothing to serve. */
function tellProblems({ manifest, problems, notes }: Exploration, log: Log): void {
  const [first] = problems;
  if (first && manifest.scripts.length === 0) throw first.error;
  for (const { path, error } of problems) {
    log.script.error('a script is not served', { script: path, code: error.code, message: error.message });
  }
  for (const note of notes) log.warn(note);
  if (manifest.tools.some((tool) => tool.enabled)) return;
  const scripts = manifest.scripts.map(({ path }) => relative('', path)).join(' ');
  const message = `No tool of ${scripts} is enabled; mcp-exec discover --explain ${scripts} says of each function why, and what to change`;
  throw new CallerError('INVALID_SCRIPT', message);
}

/** That packages are installed is told where little is logged too, because the first call waits for it. */
function tellPackages(log: Log, { path: script }: ManifestScript): (line: string) => void {
  let isFirst = true;
  return (line) => {
    if (isFirst) log.warn('packages', { script, line });
    else log.info('packages', { script, line });
    isFirst = false;
  };
}

async function startHealth(
  port: number | undefined,
  toolbox: ScriptToolbox,
  terminal: Terminal,
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined;
  const { serveHealth } = await import('../server/health.js');
  const health = await serveHealth({ port, probe: () => toolbox.probe() });
  if (port === 0) terminal.note(`Health: http://127.0.0.1:${health.port}/health\n`);
  return health;
}

const maxInstructions = 2000;

/** The server says of itself what the scripts say of themselves. */
function describe({ scripts }: Manifest): { readonly name: string; readonly instructions?: string } {
  const told = scripts.filter(({ description }) => description !== undefined && description !== '');
  const lines = told.map(({ path, description = '' }) =>
    scripts.length === 1 ? description : `${stemOf(path)}: ${firstParagraph(description)}`,
  );
  const instructions = lines.join('\n').slice(0, maxInstructions);
  const [first] = scripts;
  const name = scripts.length === 1 && first ? stemOf(first.path) : 'mcp-execution';
  return instructions === '' ? { name } : { name, instructions };
}

function stemOf(path: string): string {
  return basename(path, extname(path));
}

function firstParagraph(text: string): string {
  return (text.split(/\n\s*\n/, 1)[0] ?? '').replace(/\s+/g, ' ').trim();
}

function tellPerson(targets: readonly string[], terminal: Terminal): void {
  const words = targets.join(' ');
  terminal.note(
    `Waiting for an MCP client on standard input. mcp-exec install CLIENT ${words} adds this server to a client; mcp-exec call ${targets[0]} TOOL tries a tool; Ctrl-C ends.\n`,
  );
}
