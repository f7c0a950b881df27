import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../toolbox.js';
import { isMultiple } from './bounds.js';
import { testerOf } from './patterns.js';
import type { Candidate } from './schema.js';

export interface Validator {
  accepts(value: Candidate): boolean;
  /** What the last refused value was refused for, in the library's words. */
  refusal(): ErrorObject | undefined;
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
  // else every member of a union is tried even after one has fitted, which takes exponential time on trees
  ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
  });
  const validate = ajv.compile(schema);
  return { accepts: (value) => validate(value) === true, refusal: () => validate.errors?.[0] };
}
