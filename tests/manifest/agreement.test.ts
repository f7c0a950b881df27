import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallerError } from '../../src/errors.js';
import { checkArguments, resultProblem } from '../../src/manifest/check/check.js';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/toolbox.js';
import { type Annotation, moduleOf, signatures } from './agreement/annotations.js';
import { annotations } from './agreement/arbitrary.js';
import { valuesFor } from './agreement/values.js';

const valuesForEach = 10;
const cases = Number(process.env.AGREEMENT_CASES ?? 1500);
const seed = Number(process.env.AGREEMENT_SEED ?? 20_240_517);

/** Text that stands for something else: whether it has the right form, only Python can tell. */
const formatsOfPython = ['date', 'time', 'date-time', 'duration', 'decimal', 'complex', 'uuid', 'regex'];

/** What else the conversion may refuse although the schema takes it, since no schema can say it. */
const beyondSchemas = [
  /two keys of the object mean the same key/,
  // more digits than a number of JSON has
  /expected a multiple of \d+, got the string '-?\d{16,}'/,
  // a set holds each member once
  /expected at least 2 items, got (an array of \d+ items|the string '\[)/,
];

interface Verdict {
  readonly taken: boolean;
  readonly reason: string;
  readonly same?: boolean;
  readonly made?: string;
  /** What the function would give back, if it gave back what it took. */
  readonly result?: JsonValue;
}

interface FoundTool {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly resultKey?: string;
}

interface Trial {
  readonly annotation: Annotation;
  readonly signature: (typeof signatures)[number];
  readonly values: readonly JsonValue[];
}

const trials: fc.Arbitrary<Trial> = fc
  .tuple(annotations, fc.constantFrom(...signatures))
  .chain(([annotation, signature]) =>
    fc
      .array(valuesFor(annotation), { minLength: valuesForEach, maxLength: valuesForEach })
      .map((values) => ({ annotation, signature, values })),
  );

let python: Conversion;
beforeAll(() => {
  python = new Conversion();
});
afterAll(() => python.close());

describe('the check of arguments and the conversion in Python', () => {
  it('take and refuse the same values, and read the same into them', async () => {
    const seen = { taken: 0, refused: 0 };
    await forEveryTrial(async ({ annotation, values }, { inputSchema }) => {
      const checks = values.map((value) => check(inputSchema, { x: value }));
      const verdicts = await python.convert(values.map((value, index) => [{ x: value }, checks[index]?.args ?? null]));
      return verdicts.flatMap((verdict, index) => {
        seen[verdict.taken ? 'taken' : 'refused'] += 1;
        const difference = differenceOf(annotation, inputSchema, values[index] ?? null, checks[index], verdict);
        return difference ? [`${JSON.stringify(values[index])}: ${difference}`] : [];
      });
    });
    // a generator that only makes values of one sort would prove nothing
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(cases / 5);
  }, 600_000);
});

describe('the output schema', () => {
  it('takes what a function gives back that keeps to its annotation', async () => {
    const seen = { fitting: 0 };
    await forEveryTrial(async ({ values, signature }, { outputSchema, resultKey }) => {
      if (outputSchema === undefined) return [];
      const verdicts = await python.convert(values.map((value) => [{ x: value }, null]));
      return verdicts.flatMap(({ result }) => {
        // null, where it is only taken because it is the default, is not of the annotation
        if (result === undefined || (result === null && signature.includes('= None'))) return [];
        seen.fitting += 1;
        const problem = resultProblem(outputSchema, resultKey ? { [resultKey]: result } : result, resultKey);
        return problem ? [`${JSON.stringify(result)}: ${problem}`] : [];
      });
    });
    expect(seen.fitting).toBeGreaterThan(cases / 5);
  }, 600_000);
});

/** `look` gives what is wrong with one trial, a line each. */
async function forEveryTrial(look: (trial: Trial, tool: FoundTool) => Promise<readonly string[]>): Promise<void> {
  const property = fc.asyncProperty(trials, async (trial) => {
    const source = moduleOf(trial.annotation, trial.signature);
    const tool = await python.toolOf(source);
    const wrong = await look(trial, tool);
    if (wrong.length > 0) throw new Error([...wrong, source, JSON.stringify(tool)].join('\n'));
  });
  await fc.assert(property, { numRuns: Math.ceil(cases / valuesForEach), seed });
}

interface Check {
  readonly args?: JsonObject;
  readonly reason: string;
}

function check(schema: JsonSchema, args: JsonObject): Check {
  try {
    return { args: checkArguments(schema, args), reason: '' };
  } catch (error) {
    if (error instanceof CallerError && error.code === 'INVALID_ARGUMENTS') return { reason: error.message };
    throw error;
  }
}

function differenceOf(
  annotation: Annotation,
  schema: JsonSchema,
  value: JsonValue,
  { args, reason }: Check = { reason: '' },
  verdict: Verdict,
): string | undefined {
  if (args === undefined)
    return verdict.taken ? `the check refuses it (${reason}), the conversion takes it` : undefined;
  if (verdict.taken)
    return verdict.same || mayBeReadOtherwise(annotation) ? undefined : `it is read differently: ${verdict.made}`;
  if (beyondSchemas.some((known) => known.test(verdict.reason)) || hasClosedKeys(annotation)) return undefined;
  if (check(withoutFormats(schema), { x: value }).args === undefined) return undefined;
  return `the check takes it, the conversion refuses it (${verdict.reason})`;
}

/** Keys are always text in JSON: those of a closed set that is not all text are not in the schema. */
function hasClosedKeys(annotation: Annotation): boolean {
  return (
    JSON.stringify(annotation).includes('"key":{"kind":"literal"') ||
    JSON.stringify(annotation).includes('"key":{"kind":"enum"')
  );
}

/** A number that was read out of text may meet another member of a union first, when it is read again. */
function mayBeReadOtherwise(annotation: Annotation): boolean {
  const text = JSON.stringify(annotation);
  return text.includes('"union"') && /"enum"|"float"|"literal"/.test(text);
}

/** The same schema without text of a form that only Python knows: what it takes, no such form has decided. */
function withoutFormats(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (_, part: JsonValue) => (isFormat(part) ? withoutText(part) : part));
  return JSON.parse(text);
}

function isFormat(part: JsonValue): part is JsonObject {
  if (typeof part !== 'object' || part === null || !('type' in part || 'format' in part)) return false;
  return 'contentEncoding' in part || ('format' in part && formatsOfPython.includes(String(part.format)));
}

function withoutText(schema: JsonObject): JsonValue {
  const { type, format } = schema;
  return Array.isArray(type) && format !== 'duration'
    ? { ...schema, type: type.filter((name) => name !== 'string') }
    : false;
}

/** One Python process for all trials. */
class Conversion {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #errors = '';

  constructor() {
    const root = join(import.meta.dirname, '../..');
    this.#child = spawn('python3', ['-X', 'utf8', join(import.meta.dirname, 'agreement/conversion.py')], {
      env: { ...process.env, PYTHONPATH: join(root, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error('the child has no pipes');
    stderr.on('data', (data) => {
      this.#errors += data;
    });
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  toolOf(source: string): Promise<FoundTool> {
    return this.#ask({ source });
  }

  convert(pairs: readonly (readonly [JsonObject, JsonObject | null])[]): Promise<readonly Verdict[]> {
    return this.#ask({ pairs });
  }

  async close(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, 'exit') : undefined;
    this.#child.stdin?.end();
    await ended;
  }

  async #ask<T>(request: unknown): Promise<T> {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`Python ended: ${this.#errors}\n${JSON.stringify(request)}`);
    return JSON.parse(value);
  }
}
