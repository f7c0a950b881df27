import type {
  CodeExecution,
  DiscoverSchemasOptions,
  DiscoverSchemasResult,
  ExecuteOptions,
  ExecuteResult,
  GenerateOptions,
  GenerateResult,
} from '../codemode/code-execution.js';
import { type CodeExecutionInput, createCodeExecution } from './code-execution.js';

/** Settings of code execution that one operation by itself takes along. */
type Surroundings = Omit<CodeExecutionInput, 'workspace'>;

export interface GenerateWrappersInput extends GenerateOptions, Surroundings {
  /** The workspace, or its folder `servers`; the working folder unless said. */
  readonly out?: string;
}

export interface DiscoverSchemasInput extends DiscoverSchemasOptions, Surroundings {
  readonly workspace?: string;
}

export interface ExecuteScriptInput extends ExecuteOptions, Surroundings {
  readonly workspace?: string;
}

/** Writes `servers/<server>/<tool>.py` for the tools of the config. Servers that fail are in the result. */
export function generateWrappers(input: GenerateWrappersInput): Promise<GenerateResult> {
  const { out, servers, language, acceptChanges = true, signal, onEvent, ...surroundings } = input;
  const options = { servers, language, acceptChanges, signal, onEvent };
  return withCode({ ...surroundings, workspace: out }, (code) => code.generateWrappers(options));
}

/** Learns what tools without an output schema give back, by calling those that are said to be safe. */
export function discoverSchemas(input: DiscoverSchemasInput): Promise<DiscoverSchemasResult> {
  const { servers, safeTools, acceptReadOnly, signal, onEvent, ...surroundings } = input;
  return withCode(surroundings, (code) =>
    code.discoverSchemas({ servers, safeTools, acceptReadOnly, signal, onEvent }),
  );
}

/** Runs a script that may call the tools of the config. For many, `createCodeExecution` keeps servers and processes warm. */
export function executeScript(input: ExecuteScriptInput): Promise<ExecuteResult> {
  const { script, path, saved, context, args, limits, policy, save, caller, signal, onEvent, ...surroundings } = input;
  const options = { script, path, saved, context, args, limits, policy, save, caller, signal, onEvent };
  return withCode(surroundings, (code) => code.executeScript(options));
}

async function withCode<T>(input: CodeExecutionInput, work: (code: CodeExecution) => Promise<T>): Promise<T> {
  const code = await createCodeExecution(withoutUndefined(input));
  try {
    return await work(code);
  } finally {
    await code.close();
  }
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
