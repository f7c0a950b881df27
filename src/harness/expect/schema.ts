import type { ErrorObject } from 'ajv/dist/ajv.js';
import type { JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import { pathText, type Step, stepsOf } from './path-text.js';
import { type SchemaChecker, SchemaProblem } from './schema-checker.js';
import { bounded, cut, harmless, shown } from './shown.js';

const toldAtMost = 5;

export interface SchemaCheck {
  readonly kind: 'schema' | 'output_schema';
  /** What the schema is called in a sentence. */
  readonly subject: string;
  /** Where the value stands in the answer. */
  readonly steps: readonly Step[];
  /** Begins the sentences where the root is not the whole result. */
  readonly where?: string;
}

export function checkSchema(checker: SchemaChecker, value: JsonValue, about: SchemaCheck): readonly Finding[] {
  const { kind, subject } = about;
  try {
    const errors = checker.check(value);
    const findings = errors.slice(0, toldAtMost).map((error) => findingOf(error, about));
    const left = errors.length - findings.length;
    return left > 0 ? [...findings, { kind, message: `${left} more things do not fit ${subject}.` }] : findings;
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    const message = `${capitalised(subject)} cannot be used: ${harmless(error.message).replace(/\.$/, '')}.`;
    return [{ kind, message }];
  }
}

function findingOf(error: ErrorObject, { kind, subject, steps, where = '' }: SchemaCheck): Finding {
  const path = pathText([...steps, ...stepsOf(error.instancePath)]);
  const actual: JsonValue = error.data as JsonValue;
  const expected = { [error.keyword]: error.schema as JsonValue };
  return {
    kind,
    path,
    message: `${where}${cut(path)} does not fit ${subject}: it ${reasonOf(error)}. It is ${shown(actual)}.`,
    expected: bounded(expected),
    actual: bounded(actual),
  };
}

function reasonOf({ keyword, message, params, schema }: ErrorObject): string {
  const words = message ?? 'does not fit';
  if (keyword === 'additionalProperties')
    return `must not have the property ${shown(String(params.additionalProperty))}`;
  if (keyword === 'unevaluatedProperties')
    return `must not have the property ${shown(String(params.unevaluatedProperty))}`;
  if (keyword === 'enum' || keyword === 'const')
    return `${words.replace(/ to constant$/, ' to')} ${shown(schema as JsonValue)}`;
  return harmless(cut(words));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
