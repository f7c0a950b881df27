import type { Approval, CodeExecution, SafeTool } from '../codemode/code-execution.js';
import { createCodeToolbox } from '../codemode/toolbox/toolbox.js';
import { packageVersion } from '../python/package.js';
import { type StdioServer, serveStdio } from '../server/stdio.js';
import { claimStdout } from './claim-stdout.js';
import type { CodeVerbSettings } from './code-flags.js';
import type { ExecutionServerFlags } from './execution-server.js';
import { nobodyAsked, questionFor } from './execution-server-approval.js';
import { createLater } from './later.js';
import { createLogFor } from './log-file.js';
import { areRead, listenForEnd, type Streams } from './serving-end.js';
import type { Terminal } from './terminal.js';

/**
 * Serves code execution until the client leaves. A config or workspace that cannot be used is an error before the first
 * answer; servers and Python are started by what needs them.
 */
export async function serveExecution(
  { code: codeSettings, engine }: CodeVerbSettings,
  { safe = [], acceptChanges, acceptReadOnly }: ExecutionServerFlags,
  terminal: Terminal,
  streams: Streams = { input: process.stdin, output: claimStdout(), abandon: process.exit },
): Promise<number> {
  const parent = process.ppid;
  let server: StdioServer | undefined;
  const end = listenForEnd(terminal.interrupt);
  const log = createLogFor(engine);
  const { environment } = terminal;
  const identity = { name: 'mcp-execution-server', version: packageVersion() };
  const open = terminal.openCode ?? (await import('../services/code-execution.js')).openCodeExecution;
  const code = await open({ code: codeSettings, engine, environment, log, identity, approve });
  const safeTools = await readSafeTools(safe, code).catch(async (error: unknown) => {
    await code.close();
    throw error;
  });
  const toolbox = createCodeToolbox(code, {
    configs: [...codeSettings.config, ...(code.configs ?? [])],
    acceptChanges,
    acceptReadOnly,
    safeTools,
    shownBytes: codeSettings.shownBytes,
    timeoutMs: engine.timeoutMs,
    log,
  });
  const later = createLater(async () => {
    code.warm?.().catch((error: unknown) => log.debug('the warm-up ended early', { error }));
    return undefined;
  });
  server = serveStdio(toolbox, {
    ...streams,
    ...identity,
    previewBytes: engine.previewBytes,
    log,
    isOrphaned: () => process.ppid !== parent,
    onListed: later.begin,
  });
  if (streams.input.isTTY) tellPerson(terminal);
  server.closed.then(end.bringAbout);
  await end.reached;
  await server.close();
  streams.input.destroy();
  await Promise.all([toolbox.close(), later.close()]);
  if (streams.abandon && !(await areRead([streams.output, process.stderr]))) streams.abandon(end.exitCode());
  return end.exitCode();

  async function approve(asked: Approval, signal: AbortSignal): Promise<boolean> {
    const answer = await server?.ask(questionFor(asked), signal);
    if (answer === undefined) throw nobodyAsked(asked);
    return answer;
  }
}

/** What reads them is loaded where there are any. */
async function readSafeTools(words: readonly string[], { servers }: CodeExecution): Promise<readonly SafeTool[]> {
  if (words.length === 0) return [];
  const { parseSafeTools } = await import('./safe-tools.js');
  return parseSafeTools(words, servers);
}

function tellPerson(terminal: Terminal): void {
  terminal.note(
    'Waiting for an MCP client on standard input. mcp-execution-server --help shows how a client is told of it; mcp-exec run SCRIPT runs a script without one; Ctrl-C ends.\n',
  );
}
