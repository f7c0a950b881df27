import type { GuardAhead } from '../client/command/guard-ahead.js';
import type { ServerTarget } from '../client/target.js';
import { CallerError } from '../errors.js';
import type { SuiteParts } from '../harness/harness.js';
import { clientSideOf } from '../harness/suite/client.js';
import { referencesIn } from '../harness/suite/references.js';
import { portName } from '../harness/suite/scopes.js';
import { fillVariables, UnknownValue, type Values } from '../harness/suite/values.js';
import type { Suite } from '../harness/suite.js';
import type { Log } from '../log.js';
import { packageVersion } from '../python/package.js';
import type { ClientSide } from '../testedserver.js';
import { createOpening, type Opening } from './tested-server-opening.js';
import { redactionOf, shownTarget } from './tested-server-shown.js';
import { targetOf } from './tested-server-target.js';

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
export interface SuiteServer extends Opening {
  readonly kind: SuiteParts['kind'];
  /** The command line or address, without secrets. */
  readonly shown: string;
  readonly target: ServerTarget;
  /** What a person should know of it. */
  readonly notes: readonly string[];
  /** Takes values of the server's variables and headers, and what looks secret, out of a text. */
  readonly redact: (text: string) => string;
}

/** What the suite says of its server, made ready. Rejects with what is wrong with that. */
export async function serverOf(suite: Suite, options: TestedServerOptions): Promise<SuiteServer> {
  const { environment, python, ahead, log, temp } = options;
  const given = { temp, suite_folder: suite.folder, ...options.values };
  const values = fillVariables(suite.document.variables, given);
  const findWith = (port: number) => targetOf(suite, { ...options, values: { [portName]: port, ...values } });
  const found = await findWith(anyPort);
  const redact = redactionOf(found, [temp, suite.folder], environment, options.secretNames);
  const { start_timeout: saidMs, protocol } = suite.document.server;
  const { open, withTarget } = createOpening({
    found,
    findWith,
    hasOwnPort: !Object.hasOwn(values, portName) && hasPortInAddress(suite),
    isPatient: saidMs !== undefined,
    identity: options.identity ?? { name: 'mcp-execution', version: packageVersion() },
    client: clientOf(suite, values),
    startTimeoutMs: saidMs ?? found.startTimeoutMs,
    protocol,
    python,
    ahead,
    environment,
    log,
    redact,
  });
  const { kind, target, notes = [] } = found;
  return { open, withTarget, kind, shown: redact(shownTarget(found)), target, notes: notes.map(redact), redact };
}

/** In what is shown, as people write it. */
const anyPort = 0;

function hasPortInAddress({ document: { server } }: Suite): boolean {
  const { url = '' } = 'command' in server ? server : {};
  return referencesIn(url).some(({ name }) => name === portName);
}

function clientOf({ document, file }: Suite, values: Values): ClientSide | undefined {
  try {
    return document.client && clientSideOf(document.client, values);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    throw new CallerError('INVALID_SUITE', `${file}: ${error.message}`, { file });
  }
}
