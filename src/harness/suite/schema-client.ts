import * as z from 'zod';
import { json } from './schema-expect.js';

const text = z.string().min(1);
const action = z.enum(['accept', 'decline', 'cancel']);
const answers = 'expected decline, cancel, an object with accept and what is filled into the form, or one with url';

const root = z.union(
  [text, z.strictObject({ uri: text, name: text.optional() })],
  'expected a URI, or an object with uri and name',
);

const answer = [
  action.exclude(['accept']),
  z.strictObject({ accept: z.record(z.string(), json).describe('What is filled into the form.') }),
  z.strictObject({ url: action.describe('To an elicitation that leads to an address.') }),
] as const;

const elicited = z
  .union(
    [
      ...answer,
      z
        .string()
        .regex(/^\{\{[^{}]+\}\}$/, answers)
        .describe('A value of the run, which is one of the others.'),
    ],
    answers,
  )
  .meta({ id: 'elicited' });

const sampled = z
  .union(
    [
      text,
      z.strictObject({
        text: z.string(),
        model: text.optional().describe('Which one answered.'),
        role: z.enum(['assistant', 'user']).optional(),
        stop_reason: text.optional().describe('Why it stopped: endTurn unless said.'),
      }),
      z.strictObject({ error: text.describe('Why there is none.') }),
    ],
    'expected the text of the answer, or an object with text, or one with error',
  )
  .meta({ id: 'sampled' });

/** What a suite or a case says that its client can do. */
export const clientSchema = z
  .strictObject({
    roots: z.array(root).readonly().optional().describe('What roots/list is answered with.'),
    elicitation: oneOrMore(elicited).describe('What elicitation/create is answered with.'),
    sampling: oneOrMore(sampled).describe('What sampling/createMessage is answered with.'),
  })
  .meta({ id: 'client' });

/** The same once values have taken their places, where a reference is none of them any more. */
export const filledSchema = clientSchema.extend({ elicitation: oneOrMore(z.union(answer, answers)) });

export type ClientSpec = z.output<typeof clientSchema>;
export type FilledClient = z.output<typeof filledSchema>;
export type Elicited = z.output<(typeof answer)[number]>;
export type Sampled = z.output<typeof sampled>;

/** Answers one after the other, the last again and again. */
function oneOrMore<T extends z.ZodType>(answer: T) {
  return z.union([answer, z.array(answer).min(1).readonly()]).optional();
}
