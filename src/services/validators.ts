import * as z from 'zod';
import type { SettingsInput } from '../config.js';
import type { PythonEngine, PythonScript } from '../engine/python-engine.js';
import { ExecutionError } from '../errors.js';
import type { Finding, LoggedLine } from '../harness/report.js';
import type { ValidatorSpec } from '../harness/suite/schema.js';
import type { ValidatorOutcome, ValidatorSource, Validators } from '../harness/validators.js';
import type { Log } from '../log.js';
import type { CallEvent, JsonObject, JsonValue } from '../toolbox.js';

const timeoutMsUnlessSaid = 10_000;

export interface ValidatorOptions {
  readonly settings: SettingsInput;
  /** What paths of permissions start from. */
  readonly resolvePath: (path: string) => string;
  readonly log: Log;
}

/** Validation scripts on the engine. Scripts that may do the same share one, which is made when it is first needed. */
export function createValidators({ settings, resolvePath, log }: ValidatorOptions): Validators {
  const engines = new Map<string, Promise<PythonEngine>>();

  return {
    async prepare(source) {
      const { spec, name } = source;
      const engine = await engineFor(spec);
      const script = await compile(engine, source);
      return {
        spec,
        name,
        async run(context, signal) {
          if (script instanceof ExecutionError) return outcomeOf(script, name, []);
          const { lines: logs, hear: onEvent } = createSpoken();
          try {
            const given = context as JsonObject & typeof context;
            const { value, figures } = await engine.executePrecompiled(script, given, { signal, onEvent });
            const { failures, ...said } = readVerdict(value);
            const findings = failures.map((failure) => ({ kind: 'validator', file: name, ...failure }));
            return { findings, ...said, logs, figures };
          } catch (error) {
            if (error instanceof ExecutionError) return outcomeOf(error, name, logs);
            throw error;
          }
        },
      };
    },
    async close() {
      await Promise.all([...engines.values()].map(async (engine) => (await engine).close()));
      engines.clear();
    },
  };

  function engineFor(spec: ValidatorSpec): Promise<PythonEngine> {
    const permissions = { ...settings, ...permissionsOf(spec, resolvePath) };
    const key = JSON.stringify(permissions);
    const known = engines.get(key);
    if (known) return known;
    const made = makeEngine(permissions);
    engines.set(key, made);
    return made;
  }

  async function makeEngine(permissions: SettingsInput): Promise<PythonEngine> {
    const { PythonEngine } = await import('../engine/python-engine.js');
    const engine = new PythonEngine(permissions, { log });
    engine.warm().catch((error: unknown) => {
      log.debug('no process could be readied for validators', { error: String(error) });
    });
    return engine;
  }
}

const mostLines = 500;
const longestLine = 4000;

/** What a script logs and prints. */
function createSpoken(): { readonly lines: readonly LoggedLine[]; readonly hear: (event: CallEvent) => void } {
  const lines: LoggedLine[] = [];
  return {
    lines,
    hear(event) {
      if (event.type !== 'log' && (event.type !== 'output' || event.line === '')) return;
      const { level, message }: LoggedLine =
        event.type === 'log' ? event : { level: event.stream, message: event.line };
      if (lines.length < mostLines) lines.push({ level, message: message.slice(0, longestLine) });
      else if (lines.length === mostLines) lines.push({ level: 'notice', message: 'More was said than is kept.' });
    },
  };
}

function permissionsOf(
  { allow, timeout, memory }: ValidatorSpec,
  resolvePath: (path: string) => string,
): SettingsInput {
  const limits = { timeoutMs: timeout ?? timeoutMsUnlessSaid, ...(memory !== undefined && { memoryBytes: memory }) };
  if (allow === 'all') return { ...limits, profile: 'trusted' };
  const paths = (given: true | readonly string[]) => (given === true ? true : given.map(resolvePath));
  return {
    ...limits,
    profile: 'strict',
    ...(allow?.read !== undefined && { allowRead: paths(allow.read) }),
    ...(allow?.write !== undefined && { allowWrite: paths(allow.write) }),
    ...(allow?.net && { allowNet: true }),
    ...(allow?.run && { allowRun: true }),
    ...(allow?.env !== undefined && { allowEnv: allow.env }),
  };
}

async function compile(
  engine: PythonEngine,
  { spec, source, name }: ValidatorSource,
): Promise<PythonScript | ExecutionError> {
  try {
    return await engine.precompileScript(source, spec.function, { filename: name, validates: true });
  } catch (error) {
    if (error instanceof ExecutionError) return error;
    throw error;
  }
}

function outcomeOf(error: ExecutionError, name: string, logs: readonly LoggedLine[]): ValidatorOutcome {
  const { traceback, stderr = '', type, figures } = error.details;
  const line = error.details.line ?? lineWhenOverdue(stderr, name);
  const finding: Finding = {
    kind: 'validator',
    code: error.code,
    message: sentenceOf(error, type),
    file: name,
    ...(line !== undefined && { line }),
    ...detailOf(traceback, stderr),
  };
  return { findings: [finding], values: {}, logs, ...(figures && { figures }) };
}

/** As python/mcp_execution/_overdue.py tells it: the innermost call comes last. */
function lineWhenOverdue(stderr: string, name: string): number | undefined {
  const [, told] = stderr.split(/^After \d+ ms it is here \(most recent call last\):$/m);
  const places = told?.split('\n').flatMap((each) => {
    const [, file, line] = /^ {2}File "(.*)", line (\d+), in /.exec(each) ?? [];
    return file === name ? Number(line) : [];
  });
  return places?.at(-1);
}

function sentenceOf({ code, message }: ExecutionError, type: string | undefined): string {
  if (code === 'SYNTAX_ERROR') return `The validator cannot be parsed: ${message}`;
  if (code === 'EXCEPTION') return `The validator raised ${type ?? 'an exception'}: ${message}`;
  return `The validator could not finish: ${inWordsOfSuites(message)}`;
}

/** The engine speaks of flags; a suite permits by `allow`. */
function inWordsOfSuites(message: string): string {
  return message.replace(/--allow-(\w+)(?:=([^\s)]+))?/g, (_flag, kind: string, value?: string) => {
    return `allow: { ${kind}: ${value === undefined ? 'true' : `[${value}]`} }`;
  });
}

function detailOf(traceback: string | undefined, stderr: string | undefined): { readonly detail?: string } {
  const detail = [traceback, stderr?.trimStart()].filter((text) => text !== undefined && text !== '').join('\n');
  return detail === '' ? {} : { detail };
}

interface Verdict {
  readonly failures: readonly Omit<Finding, 'kind'>[];
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly message?: string;
}

const said = z.custom<JsonValue>((value) => value !== undefined);

/** As python/mcp_execution/validation.py says it, in a process that belongs to the script. */
const verdictSchema = z.object({
  failures: z.array(
    z.object({
      message: z.string(),
      line: z.int().nonnegative().optional(),
      traceback: z.string().optional(),
      expected: said.optional(),
      actual: said.optional(),
    }),
  ),
  values: z.record(z.string(), said),
  message: z.string().nullable(),
});

const noVerdict = 'The validator ended without a verdict: it left the process, or changed what keeps its verdict.';

/** A script may leave at once with exit code 0, and has said nothing then. */
function readVerdict(value: JsonValue): Verdict {
  const { data } = verdictSchema.safeParse(value);
  if (data === undefined) return { failures: [{ message: noVerdict }], values: {} };
  const { failures, values, message } = data;
  return {
    failures: failures.map(({ traceback, ...failure }) => ({ ...failure, ...(traceback && { detail: traceback }) })),
    values,
    ...(message !== null && { message }),
  };
}
