import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { serviceIdForm } from '../service.js';

const text = (longest: number, form: RegExp) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(longest, `is longer than ${longest} characters`)
    .regex(form, 'has control characters');
const line = (longest: number) => text(longest, /^\P{Cc}*$/u);
const lines = (longest: number) => text(longest, /^[\P{Cc}\n\r\t]*$/u);
const toolNames = z
  .array(z.string().trim().min(1, 'names nothing').max(256, 'has a name longer than 256 characters'))
  .min(1, 'is an empty list, which chooses nothing; send null to take the choice back')
  .max(500, 'names more than 500 tools');

/** What an uploader may say of a service; settings are not among it. */
const said = {
  name: line(200).optional(),
  description: lines(4000).optional(),
  only: toolNames.optional(),
  exclude: toolNames.optional(),
};

const uploadFields = z.strictObject({
  ...said,
  id: z
    .string()
    .regex(serviceIdForm, 'takes letters, digits, ".", "_" and "-", at most 64, the first a letter or digit')
    .optional(),
  filename: line(512).optional(),
  dryRun: z.boolean().optional(),
});

const changeFields = z.strictObject({
  name: said.name.nullable(),
  description: said.description.nullable(),
  only: said.only.nullable(),
  exclude: said.exclude.nullable(),
});

export type UploadChoices = z.output<typeof uploadFields>;
export type Change = z.output<typeof changeFields>;

/** Fields of a form, or of the query, each as often as it was sent. */
export type SentFields = ReadonlyMap<string, readonly string[]>;

export function readUploadChoices(sent: SentFields): UploadChoices {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, values] of sent) fields[name] = fieldOf(name, values);
  return parse(uploadFields, fields, 'field');
}

export function readChange(body: unknown): Change {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new CallerError('INVALID_REQUEST', 'The body has to be a JSON object such as {"only":["add"]}');
  }
  const change = parse(changeFields, body, 'property');
  if (Object.keys(change).length > 0) return change;
  throw new CallerError('INVALID_REQUEST', `The body changes nothing; it takes ${namesIn(changeFields)}`);
}

const lists = new Set(['only', 'exclude']);

function fieldOf(name: string, values: readonly string[]): unknown {
  if (lists.has(name)) return values.flatMap((value) => value.split(',')).filter((each) => each.trim() !== '');
  if (values.length > 1) throw new CallerError('INVALID_REQUEST', `The field ${name} was sent more than once`);
  const [value = ''] = values;
  if (name !== 'dryRun') return value;
  if (['', 'true', '1'].includes(value)) return true;
  if (['false', '0'].includes(value)) return false;
  throw new CallerError('INVALID_REQUEST', 'The field dryRun is true or false');
}

function parse<T extends z.ZodObject>(schema: T, value: object, kind: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') throw unknownName(issue.keys[0] ?? '', schema, kind);
  const place = issue?.path.join('.') ?? '';
  throw new CallerError('INVALID_REQUEST', `The ${kind} ${place} ${issue?.message ?? 'is wrong'}`);
}

function unknownName(name: string, schema: z.ZodObject, kind: string): CallerError {
  const near = nearest(name, Object.keys(schema.shape));
  const hint = near === undefined ? `it takes ${namesIn(schema)}` : `did you mean ${near}?`;
  return new CallerError('INVALID_REQUEST', `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}; ${hint}`);
}

function namesIn(schema: z.ZodObject): string {
  return Object.keys(schema.shape).join(', ');
}
