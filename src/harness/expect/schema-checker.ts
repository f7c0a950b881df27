import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv/dist/ajv.js';
import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import { isList } from './json.js';
import { type Draft, draftOf, loadDraft, type MakeAjv } from './schema-drafts.js';
import { withoutForeignWords } from './schema-words.js';
import { cut } from './shown.js';

/** Holds values against a schema that was compiled once. */
export interface SchemaChecker {
  /** What does not fit, the first ones of it; throws a SchemaProblem where the schema is none. */
  check(value: JsonValue): readonly ErrorObject[];
}

/** Why a schema cannot be used, as the end of a sentence. */
export class SchemaProblem extends Error {}

const largestSchema = 1024 * 1024;
/** Of a larger value, only the first thing that does not fit is told: there may be millions. */
const largestWithAllErrors = 64 * 1024;
const keptAtMost = 500;

const ofObjects = new WeakMap<JsonSchema, SchemaChecker>();
const ofTexts = new Map<string, SchemaChecker>();

/** Loads what is needed for the schema; it is compiled with its first use. What a server lists may be no schema at all. */
export async function checkerOf(given: JsonValue): Promise<SchemaChecker> {
  if (!isSchema(given)) return { check: refuseOther(given) };
  const schema = given;
  const known = typeof schema === 'object' ? ofObjects.get(schema) : undefined;
  if (known) return known;
  const text = textOf(schema);
  if (text === undefined) return { check: refuseDeep };
  const checker = ofTexts.get(text) ?? createChecker(schema, text, await loadJudge(draftOf(schema)));
  if (ofTexts.size >= keptAtMost) ofTexts.clear();
  ofTexts.set(text, checker);
  if (typeof schema === 'object') ofObjects.set(schema, checker);
  return checker;
}

function isSchema(given: JsonValue): given is JsonSchema | boolean {
  return typeof given === 'boolean' || isJsonObject(given);
}

function refuseOther(given: JsonValue): () => never {
  const is = given === null ? 'null' : isList(given) ? 'a list' : `a ${typeof given}`;
  return () => {
    throw new SchemaProblem(`it is ${is}, and neither an object nor true or false`);
  };
}

/** JSON is written by recursion: nothing where the stack has no room for it. */
function textOf(schema: JsonSchema | boolean): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}

function refuseDeep(): never {
  throw new SchemaProblem('it is nested too deeply');
}

function createChecker(schema: JsonSchema | boolean, text: string, { makeAjv, judge }: Judge): SchemaChecker {
  let first: ValidateFunction | undefined;
  let all: ValidateFunction | undefined;
  return {
    check(value) {
      if (first === undefined) {
        if (text.length > largestSchema) throw new SchemaProblem(`it has more than ${largestSchema} characters`);
        refuseMalformed(plain(), judge);
        first = compiled(plain(), makeAjv, false);
      }
      const found = errorsOf(first, value);
      if (found.length === 0 || JSON.stringify(value).length > largestWithAllErrors) return found;
      all ??= compiled(plain(), makeAjv, true);
      return errorsOf(all, value);
    },
  };

  function plain(): JsonSchema | boolean {
    return typeof schema === 'object' ? withoutForeignWords(schema) : schema;
  }
}

function errorsOf(validate: ValidateFunction, value: JsonValue): readonly ErrorObject[] {
  validate(value);
  const errors = validate.errors ?? [];
  // they hold the value, which would stay as long as the schema
  validate.errors = null;
  return errors;
}

/** A schema is compiled by an instance of its own, so that names in it meet no names of another. */
function compiled(schema: JsonSchema | boolean, makeAjv: MakeAjv, allErrors: boolean): ValidateFunction {
  try {
    return makeAjv({ ...options, allErrors, verbose: true, meta: false, validateSchema: false }).compile(schema);
  } catch (error) {
    throw problemOf(error);
  }
}

const options: Options = {
  strict: false,
  // a format is a note, as the specification has it
  validateFormats: false,
  ownProperties: true,
  // a schema that refers to the same thing again and again would grow without bound
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign(expressionOf, { code: 'expressionOf' }) },
};

interface Judge {
  readonly makeAjv: MakeAjv;
  /** Knows what a schema looks like. */
  readonly judge: Ajv;
}

const judges = new Map<Draft, Judge>();

/** Made ready here: one whose first work is cut off by a time limit is of no use any more. */
async function loadJudge(draft: Draft): Promise<Judge> {
  const makeAjv = await loadDraft(draft);
  const known = judges.get(draft);
  if (known) return known;
  const judge = makeAjv(options);
  judge.validateSchema({});
  const loaded = { makeAjv, judge };
  judges.set(draft, loaded);
  return loaded;
}

function refuseMalformed(schema: JsonSchema | boolean, judge: Ajv): void {
  const { $schema: _, ...content } = typeof schema === 'object' ? schema : {};
  if (judge.validateSchema(content)) return;
  const [problem] = judge.errors ?? [];
  const where = problem?.instancePath ? `at ${cut(problem.instancePath, 100)} it ` : 'it ';
  throw new SchemaProblem(`${where}${problem?.message ?? 'is no JSON Schema'}`);
}

/** Many schemas have patterns that were never meant for the flag u. */
function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof RangeError) refuseDeep();
  return error instanceof Error ? new SchemaProblem(cut(error.message)) : error;
}
