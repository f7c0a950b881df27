import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../toolbox.js';
import { isMultiple } from './bounds.js';
import { testerOf } from './patterns.js';
import type { Candidate } from './schema.js';

export interface Validator {
  accepts(value: Candidate): boolean;
  /** What the last refused value was refused for, in the library's words. */
  refusal(): ErrorObject | undefined;
  /** A type that refers to itself through a union: to refuse a value of it, the library may take exponential time. */
  readonly isTree: boolean;
}

const compiledSchemas = new WeakMap<JsonSchema, Validator | Error>();

/** Throws where the schema is none, each time with the same error. */
export function validatorOf(schema: JsonSchema): Validator {
  let compiled = compiledSchemas.get(schema);
  if (compiled === undefined) {
    try {
      compiled = compile(schema);
    } catch (error) {
      compiled = error instanceof Error ? error : new Error(String(error));
    }
    compiledSchemas.set(schema, compiled);
  }
  if (compiled instanceof Error) throw compiled;
  return compiled;
}

/** What only the library judges. */
const beyondWords = /"(not|if|oneOf|contains|uniqueItems|dependent\w+|unevaluated\w+|\$dynamicRef|\$anchor|\$id)":/;

/** One instance for each schema, so that both are forgotten together. */
function compile(schema: JsonSchema): Validator {
  const ajv = new Ajv2020({
    strict: false,
    // "Infinity" as text is a number here
    strictNumbers: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    logger: false,
    code: { regExp: Object.assign(testerOf, { code: 'testerOf' }) },
  });
  const text = JSON.stringify(schema);
  // else every member of a union is tried even after one has fitted
  ajv.opts.unevaluated = text.includes('"unevaluated');
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
  });
  const validate = ajv.compile(schema);
  return {
    accepts: (value) => validate(value) === true,
    refusal: () => validate.errors?.[0],
    isTree: text.includes('"anyOf":') && !beyondWords.test(text) && refersToItself(schema, text),
  };
}

/** Whether a definition can be reached from itself; a reference to anything but a definition is taken for one that can. */
function refersToItself(schema: JsonSchema, text: string): boolean {
  const definitions = Object.entries(schema.$defs ?? {});
  const referred = new Map(definitions.map(([name, content]) => [name, referencesIn(JSON.stringify(content))]));
  if (referencesIn(text).some((name) => !referred.has(name))) return true;
  return definitions.some(([name]) => {
    const reached = new Set(referred.get(name));
    for (const next of reached) for (const further of referred.get(next) ?? []) reached.add(further);
    return reached.has(name);
  });
}

function referencesIn(text: string): readonly string[] {
  return [...text.matchAll(/"\$ref":"((?:[^"\\]|\\.)*)"/g)].map(([, reference = '']) =>
    reference.replace('#/$defs/', ''),
  );
}
