import * as z from 'zod';
import { logLevels } from '../../toolbox.js';
import { type Filled, numberOrValue } from './numbers.js';

const text = z.string().min(1);
/** Any value; one schema for all of them, which is written once into the published form. */
export const json = z.json().meta({ id: 'json' });
const textOrTexts = z.union([z.string(), z.array(z.string()).min(1).readonly()], 'expected a text, or a list of texts');

export const textMatchSchema = z.union(
  [
    z.string(),
    z
      .strictObject({
        equals: z.string().optional(),
        contains: textOrTexts.optional().describe('All of these.'),
        excludes: textOrTexts.optional().describe('None of these.'),
        pattern: textOrTexts
          .optional()
          .describe('Regular expressions (of JavaScript, with the flag u), all of which match.'),
      })
      .refine((match) => Object.keys(match).length > 0, 'needs equals, contains, excludes or pattern'),
  ],
  'expected the text itself, or an object with equals, contains, excludes or pattern',
);

const matcher = z
  .strictObject({
    value: json.optional().describe('Equal to this, whatever the order of its keys.'),
    type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']).optional(),
    pattern: text.optional().describe('A regular expression that the text matches.'),
    contains: json.optional().describe('A part of the text, or an element of the array.'),
    min: numberOrValue('number').optional(),
    max: numberOrValue('number').optional(),
    length: z
      .union([
        numberOrValue('count'),
        z.strictObject({ min: numberOrValue('whole').optional(), max: numberOrValue('whole').optional() }),
      ])
      .optional()
      .describe('Of a text, an array or an object.'),
    exists: z.boolean().optional().describe('false: the path finds nothing.'),
  })
  .refine(
    ({ exists, ...others }) => exists !== false || Object.keys(others).length === 0,
    'exists: false goes with nothing else: of what is not there nothing can be expected',
  );

/** By JSONPath (RFC 9535). What is no object is the value itself. */
const fields = z
  .record(
    text,
    z.union(
      [matcher, z.string(), z.number(), z.boolean(), z.null(), z.array(json)],
      'expected a value, or an object with value, type, pattern, contains, min, max, length or exists; an object to compare with goes under value',
    ),
  )
  .meta({ id: 'fields' });

const methodOfAsk = z
  .string()
  .regex(
    /^(?:elicitation|sampling|roots)$|\/|\{\{/,
    'expected elicitation, sampling, roots, or a whole method such as elicitation/create',
  );

const ask = z.union(
  [
    methodOfAsk,
    z.strictObject({ method: methodOfAsk, fields: fields.optional().describe('Of its params, by JSONPath.') }),
  ],
  'expected elicitation, sampling, roots, or an object with method and fields',
);

const ownKeys = 'progress and logs have keys of their own: progress and logs under expect';
const methodOfNotification = z.string().regex(/^(?!(?:notifications\/)?(?:progress|message)$)./, ownKeys);

const notification = z.union(
  [
    methodOfNotification,
    z.strictObject({
      method: methodOfNotification,
      fields: fields.optional().describe('Of its params, by JSONPath; others do not count.'),
      min: numberOrValue('count').optional(),
      max: numberOrValue('count').optional(),
    }),
  ],
  'expected a method, such as tools/list_changed, or an object with method, fields, min and max',
);

export const expectSchema = z
  .strictObject({
    error: z
      .union([
        z.boolean(),
        z.strictObject({
          code: numberOrValue('whole').optional().describe('Of a JSON-RPC error.'),
          message: textMatchSchema.optional(),
        }),
      ])
      .default(false)
      .describe('true: a result that says isError, or a JSON-RPC error. An object: a JSON-RPC error.'),
    text: textMatchSchema.optional().describe('All text of the answer, joined by line breaks.'),
    fields: fields.optional().describe('Of the whole result, by JSONPath.'),
    data: fields
      .optional()
      .describe('Of what the tool returned, by JSONPath: structuredContent, else its text decoded as JSON.'),
    schema: z
      .union([z.record(z.string(), json), z.boolean(), text])
      .optional()
      .describe('A JSON Schema that the data fits, or a file of one.'),
    output_schema: z
      .boolean()
      .default(true)
      .describe('false: structuredContent is not held against the outputSchema of the tool.'),
    content: z
      .array(z.union([text, z.strictObject({ type: text, mime: text.optional() })]))
      .readonly()
      .optional()
      .describe('The types of the content blocks, in their order.'),
    snapshot: z
      .union([
        z.literal(true),
        text,
        z.strictObject({ name: text.optional(), ignore: z.array(text).readonly().default([]) }),
      ])
      .optional()
      .describe('The answer is the one that was kept; paths under ignore are left out.'),
    progress: z
      .union([
        z.literal(true),
        z.strictObject({
          min: numberOrValue('count').optional(),
          max: numberOrValue('count').optional(),
          message: textMatchSchema.optional().describe('Of one of them at least.'),
          total: numberOrValue('number').optional().describe('That the last one tells.'),
        }),
      ])
      .optional()
      .describe('Progress notifications of the call. They always have to increase.'),
    logs: z
      .union([
        z.literal(true),
        z.strictObject({
          min: numberOrValue('count').optional(),
          max: numberOrValue('count').optional(),
          level: z.enum(logLevels).optional().describe('The least severe that counts.'),
          message: textMatchSchema.optional().describe('Of one of them at least.'),
        }),
      ])
      .optional()
      .describe('Log messages during the call.'),
    asks: z
      .union(
        [z.literal(false), z.array(ask).readonly()],
        'expected false, or a list of what the server asks: elicitation, sampling, roots',
      )
      .optional()
      .describe('What the server asks the client during the call, all of it in its order. false: nothing.'),
    notifications: z
      .union([z.literal(false), z.array(notification).min(1).readonly()], 'expected false, or a list of methods')
      .optional()
      .describe(
        'Notifications during the call or soon after it, such as tools/list_changed; others may come too. false: none.',
      ),
    latency: numberOrValue('time').optional().describe('Time that the answer may take and still pass.'),
    memory: numberOrValue('memory')
      .optional()
      .describe('Memory that the server, with all that it started, may hold during the call.'),
  })
  .meta({ id: 'expect' });

/** As a suite says it, where values of the run may stand for numbers. */
export type WrittenExpect = z.output<typeof expectSchema>;
export type WrittenFields = z.output<typeof fields>;
export type Expect = Filled<WrittenExpect>;
export type ExpectedAsk = Filled<z.output<typeof ask>>;
export type ExpectedNotification = Filled<z.output<typeof notification>>;
export type TextMatch = z.output<typeof textMatchSchema>;
export type Matcher = Filled<z.output<typeof matcher>>;
export type Fields = Filled<WrittenFields>;
