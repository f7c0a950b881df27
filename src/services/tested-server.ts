import type { GuardAhead } from '../client/command/guard-ahead.js';
import { startCommand } from '../client/command/started.js';
import type { SessionOptions } from '../client/session/session.js';
import type { ServerTarget } from '../client/target.js';
import { CallerError } from '../errors.js';
import type { SuiteParts } from '../harness/harness.js';
import { clientSideOf } from '../harness/suite/client.js';
import { fillVariables, UnknownValue, type Values } from '../harness/suite/values.js';
import type { Suite } from '../harness/suite.js';
import type { Log } from '../log.js';
import { packageVersion } from '../python/package.js';
import type { ClientSide, OpenServer } from '../testedserver.js';
import { redactionOf, shownTarget } from './tested-server-shown.js';
import { type FoundTarget, targetOf } from './tested-server-target.js';

export interface TestedServerOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** An interpreter for the guard that ends the server's whole tree. */
  readonly python?: string;
  /** One that was started ahead. */
  readonly ahead?: GuardAhead;
  /** How the command mcp-exec is started, for suites about scripts. */
  readonly mcpExec: { readonly command: string; readonly args: readonly string[] };
  readonly log: Log;
  /** The folder that `{{ temp }}` stands for. */
  readonly temp: string;
  /** More values for `{{ name }}`, before those of the suite. */
  readonly values?: Values;
  /** Variables of the environment whose values are hidden, beside those that look like secrets. */
  readonly secretNames?: readonly string[];
  /** What this side says of who it is. */
  readonly identity?: { readonly name: string; readonly version: string };
}

/** The server of a suite, which is started or connected to by `open`. */
export interface SuiteServer {
  readonly open: OpenServer;
  readonly kind: SuiteParts['kind'];
  /** The command line or address, without secrets. */
  readonly shown: string;
  readonly target: ServerTarget;
  /** Takes values of the server's variables and headers, and what looks secret, out of a text. */
  readonly redact: (text: string) => string;
}

/** What the suite says of its server, made ready. Rejects with what is wrong with that. */
export async function serverOf(suite: Suite, options: TestedServerOptions): Promise<SuiteServer> {
  const { environment, python, ahead, log, temp } = options;
  const given = { temp, suite_folder: suite.folder, ...options.values };
  const values = fillVariables(suite.document.variables, given);
  const found = await targetOf(suite, { ...options, values });
  const redact = redactionOf(found, [temp, suite.folder], environment, options.secretNames);
  const identity = options.identity ?? { name: 'mcp-execution', version: packageVersion() };
  const suiteClient = clientOf(suite, values);
  const { start_timeout: startTimeoutMs = found.startTimeoutMs, protocol } = suite.document.server;
  return {
    async open({ signal, client = suiteClient } = {}) {
      // Before what speaks with it is loaded, which takes a while.
      const started = found.target.kind === 'command' ? startCommand(found.target, { python, ahead }) : undefined;
      const [{ openSession }, { withoutSecrets }] = await Promise.all([
        import('../client/session/session.js'),
        import('../client/servers/secrets.js'),
      ]);
      return openSession(found.target, {
        log: withoutSecrets(log, { text: redact }),
        identity,
        python,
        started,
        startTimeoutMs,
        protocol,
        client,
        signal,
        redact,
        ...(await loginsFor(found, environment, log)),
      });
    },
    kind: found.kind,
    shown: redact(shownTarget(found)),
    target: found.target,
    redact,
  };
}

function clientOf({ document, file }: Suite, values: Values): ClientSide | undefined {
  try {
    return document.client && clientSideOf(document.client, values);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    throw new CallerError('INVALID_SUITE', `${file}: ${error.message}`, { file });
  }
}

async function loginsFor(
  { target, name }: FoundTarget,
  environment: NodeJS.ProcessEnv,
  log: Log,
): Promise<Pick<SessionOptions, 'logins' | 'serverName'>> {
  if (target.kind === 'command') return {};
  const { createLogins } = await import('../client/oauth/logins.js');
  return { logins: createLogins({ environment, note: (line) => log.warn(line) }), serverName: name };
}
