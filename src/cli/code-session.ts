import type { CodeExecution } from '../codemode/code-execution.js';
import { packageVersion } from '../python/package.js';
import type { OpenCodeOptions } from '../services/code-execution.js';
import { createApprove } from './code-approval.js';
import type { CodeVerbSettings } from './code-flags.js';
import { type CodeLive, createCodeLive } from './code-live.js';
import { createCodeLog } from './code-log.js';
import { reportForeignFailure } from './foreign-failure.js';
import type { Terminal } from './terminal.js';

export interface Session extends Pick<OpenCodeOptions, 'config'> {
  readonly settings: CodeVerbSettings;
  readonly terminal: Terminal;
  readonly asJson?: boolean;
  /** What a script prints is data, for stdout. */
  readonly printsData?: boolean;
  /** Says of a failure what the verb knows beside it. */
  readonly explain?: (error: unknown) => unknown;
}

/** Opens code execution for the work of one verb, and closes it whatever comes. Gives the exit code. */
export async function withCode(
  session: Session,
  work: (code: CodeExecution, live: CodeLive) => Promise<number>,
): Promise<number> {
  const { settings, terminal, asJson, printsData, config, explain = (error) => error } = session;
  const live = createCodeLive(terminal, printsData);
  let opened: CodeExecution | undefined;
  try {
    const open = terminal.openCode ?? (await import('../services/code-execution.js')).openCodeExecution;
    const log = createCodeLog(settings, live, terminal);
    const code = await open({
      code: settings.code,
      engine: settings.engine,
      environment: terminal.environment,
      log,
      approve: createApprove(terminal, live),
      onServerStart(server) {
        log.info('an MCP server is started', { server });
        live.onServerStart(server);
      },
      onServerStarted: live.onServerStarted,
      identity: { name: 'mcp-exec', version: packageVersion() },
      config,
    });
    opened = code;
    return await work(code, live);
  } catch (error) {
    live.end();
    return reportForeignFailure(explain(error), terminal, asJson);
  } finally {
    live.end();
    await opened?.close();
  }
}
