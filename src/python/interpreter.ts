import { HostError } from '../errors.js';
import { type Answer, askInterpreter, type Interpreter, tooOld } from './ask.js';
import { cacheFolder } from './cache-folder.js';
import { type Candidate, type Command, candidateOfSetting, candidatesOfMachine } from './candidates.js';
import { fingerprintOf, recall, remember } from './remembered.js';

export type { Interpreter } from './ask.js';

export interface FindPythonOptions {
  /** A path or a command name. What is named here is used or refused, never passed over. */
  readonly python?: string;
  /** The folder of the script, whose `.venv` is preferred to the Python of the machine. */
  readonly scriptDir?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly cacheDir?: string;
}

/** What became of one candidate. */
export interface Attempt {
  readonly origin: string;
  readonly path?: string;
  readonly interpreter?: Interpreter;
  readonly problem?: string;
}

const oldestMinor = 10;
const needed = `3.${oldestMinor}`;

/** The Python to run scripts with: the named one, else the first that is new enough. */
export async function findPython(options: FindPythonOptions = {}): Promise<Interpreter> {
  const attempts: Attempt[] = [];
  for await (const attempt of attemptsInOrder(options)) {
    if (attempt.interpreter !== undefined && attempt.problem === undefined) return attempt.interpreter;
    attempts.push(attempt);
  }
  throw notFound(attempts, options.python !== undefined);
}

/** Every candidate with what became of it, the chosen one first among those without a problem. */
export async function surveyPythons(options: FindPythonOptions = {}): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for await (const attempt of attemptsInOrder(options)) attempts.push(attempt);
  return attempts;
}

async function* attemptsInOrder(options: FindPythonOptions): AsyncGenerator<Attempt> {
  const environment = options.environment ?? process.env;
  const folder = await cacheFolder({ cacheDir: options.cacheDir, environment });
  if (options.python !== undefined) {
    yield attempt(await candidateOfSetting(options.python, environment), environment, folder);
    return;
  }
  for await (const candidate of candidatesOfMachine({ ...options, environment })) {
    yield attempt(candidate, environment, folder);
  }
}

async function attempt(
  { origin, command }: Candidate,
  environment: NodeJS.ProcessEnv,
  folder: string | undefined,
): Promise<Attempt> {
  if (command === undefined) return { origin, problem: 'not found' };
  const answer = await answerOf(command, environment, folder);
  if (!answer.answered) return { origin, path: command.path, problem: answer.problem };
  const { interpreter } = answer;
  const [major, minor] = interpreter.versionInfo;
  const isNewEnough = major === 3 && minor >= oldestMinor;
  const problem = isNewEnough ? undefined : tooOld(interpreter.version);
  return { origin, path: command.path, interpreter, problem };
}

const answers = new Map<string, Promise<Answer>>();

async function answerOf(command: Command, environment: NodeJS.ProcessEnv, folder: string | undefined): Promise<Answer> {
  const fingerprint = await fingerprintOf(command, environment);
  const key = [command.path, ...command.args, fingerprint].join('\0');
  const earlier = answers.get(key);
  if (earlier !== undefined) return earlier;
  const asked = recallOrAsk(command, environment, folder, fingerprint);
  answers.set(key, asked);
  const answer = await asked;
  if (!answer.answered) answers.delete(key);
  return answer;
}

async function recallOrAsk(
  command: Command,
  environment: NodeJS.ProcessEnv,
  folder: string | undefined,
  fingerprint: string | undefined,
): Promise<Answer> {
  if (folder === undefined || fingerprint === undefined) return askInterpreter(command, environment);
  const interpreter = await recall(folder, command, fingerprint);
  if (interpreter !== undefined) return { answered: true, interpreter };
  const answer = await askInterpreter(command, environment);
  if (answer.answered) await remember(folder, command, fingerprint, answer.interpreter);
  return answer;
}

function notFound(attempts: readonly Attempt[], named: boolean): HostError {
  const tried = attempts.map(({ origin, path, problem }) => [origin, ...(path ? [path] : []), problem].join(': '));
  const message = named
    ? `The named Python cannot be used: ${tried.join('; ')}. Name one that is ${needed} or newer, or leave the setting out.`
    : `No Python ${needed} or newer was found. Tried ${tried.join('; ')}. ` +
      'Install one, or name one with --python or MCP_EXECUTION_PYTHON.';
  return new HostError('PYTHON_NOT_FOUND', message, { tried });
}
