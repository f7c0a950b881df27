import type { Readable, Writable } from 'node:stream';
import type { Logins } from '../client/oauth/logins.js';
import type { ServerTarget } from '../client/target.js';
import type { LeftOut } from '../harness/record/left-out.js';
import { plainLine } from '../harness/record/plain-line.js';
import { type RecordedSuite, recordedSuite } from '../harness/record/recorded-suite.js';
import { createRecorder, type Side } from '../harness/record/recorder.js';
import type { SecretVariable } from '../harness/record/secrets.js';
import type { ServerInput } from '../harness/record/server-secrets.js';
import { writeSuite } from '../harness/record/writer.js';
import { createRedactor } from '../redact.js';
import { openRecordFile } from './record-file.js';
import type { RelayEnd } from './record-relay.js';

export interface RecordOptions {
  readonly target: ServerTarget;
  /** How the suite names the server. */
  readonly server: ServerInput;
  /** The suite that is written. */
  readonly file: string;
  /** Writes over a file that is there; otherwise the next free number is added to its name. */
  readonly force?: boolean;
  /** The client's words. */
  readonly stdin: Readable;
  /** Nothing but the server's words is written to it. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Of a command, the environment that it is started with, as a client would. */
  readonly environment: NodeJS.ProcessEnv;
  /** Of that, what the client's config says: the suite says it too. */
  readonly given?: Readonly<Record<string, string>>;
  /** Variables of the server that the suite takes from the environment, by their names. */
  readonly taken?: readonly string[];
  /** An interpreter for the guard that ends the server's whole tree. */
  readonly python?: string;
  readonly logins?: Logins;
  /** Ends the recording, and with it the server. */
  readonly signal?: AbortSignal;
  /** Told of what goes wrong on the way, in whole sentences. */
  readonly note?: (line: string) => void;
}

export interface Recording {
  /** Where the suite is; none was written where nothing was recorded. */
  readonly file?: string;
  readonly cases: number;
  readonly leftOut: readonly LeftOut[];
  /** Variables that stand for secrets. */
  readonly variables: readonly SecretVariable[];
  readonly end: RelayEnd;
}

const exchangesPerSave = 50;
/** A client may end this process without a word: what was said is kept as soon as there is a pause. */
const pauseMs = 500;

/** Sits between a client and a server, passes on what they say, and writes a suite of it. */
export async function recordSession(options: RecordOptions): Promise<Recording> {
  const { file, environment, target, given = {} } = options;
  const server = withGiven(options.server, given);
  const redactor = createRedactor(environment);
  const note = (line: string) => options.note?.(plainLine(redactor.text(line)));
  const saved = await openRecordFile(file, options);
  const recorder = createRecorder(environment);
  let exchangesSaved = 0;
  const relayed = { ...options, hear, note };
  let pause: NodeJS.Timeout | undefined;
  const end = await relay().finally(saveNow);
  const { suite, leftOut, variables } = made();
  return { file: saved.path, cases: suite.cases?.length ?? 0, leftOut, variables, end };

  async function relay(): Promise<RelayEnd> {
    if (target.kind === 'command') return (await import('./record-command.js')).relayCommand(target, relayed);
    return (await import('./record-address.js')).relayAddress(target, relayed);
  }

  function hear(from: Side, message: unknown): void {
    try {
      recorder.hear(from, message);
    } catch (error) {
      // What goes through is more than what is recorded of it.
      note(`A message could not be recorded: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (recorder.exchanges === exchangesSaved) return;
    clearTimeout(pause);
    if (recorder.exchanges >= exchangesSaved + exchangesPerSave) trySave();
    else pause = setTimeout(trySave, pauseMs);
  }

  function trySave(): void {
    saveNow().catch((error: unknown) => note(error instanceof Error ? error.message : String(error)));
  }

  async function saveNow(): Promise<void> {
    clearTimeout(pause);
    exchangesSaved = recorder.exchanges;
    if (exchangesSaved === 0) return;
    const { suite, notes } = made();
    await saved.save(writeSuite(suite, notes));
  }

  function made(): RecordedSuite {
    const { taken } = options;
    return recordedSuite(recorder.heard(), { server, environment: without(environment, given, taken), taken, file });
  }
}

function withGiven(server: ServerInput, given: Readonly<Record<string, string>>): ServerInput {
  if (!('command' in server) || Object.keys(given).length === 0) return server;
  return { ...server, env: { ...given, ...server.env } };
}

/** Whoever runs the suite has not got them, unless told to. */
function without(
  environment: NodeJS.ProcessEnv,
  given: Readonly<Record<string, string>>,
  taken: readonly string[] = [],
): NodeJS.ProcessEnv {
  const isKept = (name: string) => taken.includes(name) || !Object.hasOwn(given, name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}
