import * as z from 'zod';
import { mostParallel, mostRepeats } from '../limits.js';
import { checksSchema, conformanceSchema } from './schema-checks.js';
import { clientSchema } from './schema-client.js';
import { expectSchema, json } from './schema-expect.js';
import { duration, size } from './units.js';

const text = z.string().min(1);
const texts = z.array(z.string()).readonly();
const oneOrMore = z.union([text, z.array(text).readonly()], 'expected a name, or a list of names');

const introduction = {
  start_timeout: duration()
    .optional()
    .describe(
      'Time in which it has to introduce itself: 30s unless said. An address that nobody started from here is tried again for so long while it refuses connections, where this is said.',
    ),
  protocol: z
    .enum(['legacy', 'modern', 'auto'])
    .optional()
    .describe(
      'legacy: the revisions with initialize (2025). modern: the one without (2026). auto: what the server speaks. Not given: legacy for a process, auto for an address.',
    ),
};

const url = z.string().min(1);
const headers = z.record(text, z.string());

const commandServer = z
  .strictObject({
    command: text.describe(
      'A program that speaks MCP on standard input and output, or at the url, where one is given.',
    ),
    args: texts.default([]).describe('Its arguments.'),
    env: z.record(text, z.string()).default({}).describe('Variables for it, beside a safe list.'),
    cwd: text.optional().describe('The folder that it is started in. Not given: that of the suite file.'),
    url: url
      .optional()
      .describe(
        'The address that the program listens at. {{ port }} is a port that is free, in all that is said of the server.',
      ),
    headers: headers.optional().describe('Headers of every request to the url.'),
    ...introduction,
  })
  .refine((given) => given.headers === undefined || given.url !== undefined, {
    message: 'goes with url: a program without one is not spoken to over HTTP',
    path: ['headers'],
  });

const urlServer = z.strictObject({
  url: url.describe('The address of a server: Streamable HTTP, or the older HTTP with SSE.'),
  headers: headers.default({}).describe('Headers of every request.'),
  ...introduction,
});

const scriptServer = z.strictObject({
  script: oneOrMore.describe('A Python script, or several, served by mcp-exec serve. A path beside the suite file.'),
  flags: texts.default([]).describe('Flags of mcp-exec serve, such as --isolation=shared.'),
  env: z.record(text, z.string()).default({}).describe('Variables for it.'),
  cwd: text.optional().describe('The folder that it is started in. Not given: that of the suite file.'),
  ...introduction,
});

const configServer = z.strictObject({
  config: oneOrMore
    .optional()
    .describe('Files that name MCP servers, or clients whose file is meant. Not given: those that every verb finds.'),
  name: text.describe('The name of the server in it.'),
  ...introduction,
});

/** By the property that only one of them has. */
export const serverForms = {
  command: commandServer,
  url: urlServer,
  script: scriptServer,
  name: configServer,
} as const;

const isolation = z.enum(['shared', 'case']);

const permission = z.union([z.literal(true), texts], 'expected true, or a list');

const validator = z
  .strictObject({
    script: text.optional().describe('Python source.'),
    file: text.optional().describe('A Python file beside the suite file, in place of script.'),
    function: text.optional().describe('A function of it that is called with the context; otherwise all of it runs.'),
    when: z
      .enum(['before', 'after', 'both'])
      .default('after')
      .describe('Before the request, after the answer, or both.'),
    allow: z
      .union([
        z.literal('all'),
        z.strictObject({
          read: permission.optional(),
          write: permission.optional(),
          net: z.literal(true).optional(),
          run: z.literal(true).optional(),
          env: permission.optional(),
        }),
      ])
      .optional()
      .describe('What the sandbox lets it do; nothing unless said.'),
    timeout: duration().optional().describe('Time that it may take: 10s unless said.'),
    memory: size().optional().describe('Memory that it may take.'),
  })
  .refine(
    ({ script, file }) => (script === undefined) !== (file === undefined),
    'needs either script or file, and not both',
  )
  .meta({ id: 'validator' });

const validate = z
  .union(
    [text, validator, z.array(z.union([text, validator])).readonly()],
    'expected Python source, an object with script or file, or a list of these',
  )
  .transform((given) => {
    const list = typeof given === 'object' && 'length' in given ? given : [given];
    return list.map((each) => (typeof each === 'string' ? validator.parse({ script: each }) : each));
  });

const valueName = z.string().regex(/^[A-Za-z_]\w*$/, 'is no name of a value: expected letters, digits and _');

const capture = z.record(
  valueName,
  z.union([
    text.describe('A JSONPath into the result.'),
    z.strictObject({ data: text }).describe('A JSONPath into the data of the result.'),
    z.strictObject({ text: text }).describe('A pattern; its first group, or all that it matches, is taken.'),
  ]),
);

const action = {
  tool: text.optional().describe('A tool to call.'),
  prompt: text.optional().describe('A prompt to get.'),
  resource: text.optional().describe('The URI of a resource to read.'),
  list: z.enum(['tools', 'resources', 'templates', 'prompts']).optional().describe('What to list, all pages of it.'),
  request: text.optional().describe('Any other request, by its method.'),
  arguments: z.record(z.string(), json).optional().describe('Of the tool or prompt.'),
  params: z.record(z.string(), json).optional().describe('Of the request.'),
};

const afterwards = {
  timeout: duration().optional().describe('Time that the answer may take: 30s unless said.'),
  expect: expectSchema.optional().describe('What has to hold of the answer.'),
  validate: validate.optional().describe('Python that looks at the request and at the answer.'),
  capture: capture.optional().describe('Values of the answer that later input may use as {{ name }}.'),
};

export const actionNames = ['tool', 'prompt', 'resource', 'list', 'request'] as const;
type ActionName = (typeof actionNames)[number];
type Given = Readonly<Partial<Record<ActionName | 'arguments' | 'params', unknown>>>;

function hasOneAction(given: Given, context: z.core.$RefinementCtx): void {
  const has = actionNames.filter((name) => given[name] !== undefined);
  const [only] = has;
  if (only === undefined || has.length > 1) {
    const found = only === undefined ? 'none of them' : has.join(' and ');
    const message = `needs exactly one of tool, prompt, resource, list and request; this one has ${found}`;
    context.addIssue({ code: 'custom', message });
    return;
  }
  refuseBeside('arguments', ['tool', 'prompt']);
  refuseBeside('params', ['request']);

  function refuseBeside(name: 'arguments' | 'params', owners: readonly ActionName[]): void {
    if (given[name] === undefined || owners.some((owner) => owner === only)) return;
    const message = `goes with ${owners.join(' and ')}; a ${only} takes none`;
    context.addIssue({ code: 'custom', message, path: [name] });
  }
}

/** Says to editors what the refinement says to readers. */
const oneAction = { oneOf: actionNames.map((name) => ({ required: [name] })) };

const step = z
  .strictObject({ name: text.optional().describe('What it does, for reports.'), ...action, ...afterwards })
  .superRefine(hasOneAction)
  .meta({ id: 'step', ...oneAction });
const steps = z.array(step).readonly();

const load = z
  .strictObject({
    clients: z.int().positive().max(1000).default(8).describe('Connections, each with one call at a time.'),
    duration: duration()
      .refine((ms) => ms > 0, 'expected more than 0')
      .optional()
      .describe('How long it goes on.'),
    count: z.int().positive().optional().describe('How many calls are made, in place of a duration.'),
    warmup: z.int().nonnegative().default(0).describe('Calls of each client before those that count.'),
    p50: duration().optional().describe('The largest median that passes.'),
    p95: duration().optional().describe('The largest 95th percentile that passes.'),
    p99: duration().optional().describe('The largest 99th percentile that passes.'),
    rate: z.number().positive().optional().describe('The fewest calls per second that pass.'),
    errors: z.int().nonnegative().default(0).describe('Failed calls that are borne.'),
  })
  .refine(({ duration: ms, count }) => (ms === undefined) !== (count === undefined), 'needs either duration or count');

/** Of many answers there is not the one that these would look at. */
function fitsLoad(
  given: Readonly<Partial<Record<'load' | 'validate' | 'capture' | 'client' | 'isolation', unknown>>> & {
    readonly expect?: { readonly memory?: unknown; readonly notifications?: unknown; readonly asks?: unknown };
  },
  context: z.core.$RefinementCtx,
): void {
  for (const name of ['validate', 'capture'] as const) {
    if (given.load === undefined || given[name] === undefined) continue;
    const message = 'does not go with load, whose answers are held against expect alone';
    context.addIssue({ code: 'custom', message, path: [name] });
  }
  if (given.load !== undefined && given.expect?.memory !== undefined) {
    const message = 'does not go with load, during which memory is not measured call by call';
    context.addIssue({ code: 'custom', message, path: ['expect', 'memory'] });
  }
  if (given.load !== undefined && given.expect?.notifications !== undefined) {
    const message = 'does not go with load, of whose calls nobody can tell which one a notification belongs to';
    context.addIssue({ code: 'custom', message, path: ['expect', 'notifications'] });
  }
  const sharesServer = given.client === undefined && given.isolation !== 'case';
  if (given.load !== undefined && Array.isArray(given.expect?.asks) && sharesServer) {
    const message =
      'goes with load only where the case has a client or isolation: case, so that each call has its own server';
    context.addIssue({ code: 'custom', message, path: ['expect', 'asks'] });
  }
}

function fitsClient(
  { client, isolation: chosen }: { readonly client?: unknown; readonly isolation?: string },
  context: z.core.$RefinementCtx,
): void {
  if (client === undefined || chosen !== 'shared') return;
  const message = 'does not go with client: such a case has a server of its own, which is told what its client can do';
  context.addIssue({ code: 'custom', message, path: ['isolation'] });
}

export const caseSchema = z
  .strictObject({
    name: text.max(300).describe('What the case shows. No two cases of a suite have the same.'),
    description: z.string().optional().describe('More words about it, for whoever reads the file.'),
    ...action,
    ...afterwards,
    tags: z.array(text).readonly().default([]).describe('For --tag.'),
    depends_on: oneOrMore
      .default([])
      .transform((given) => (typeof given === 'string' ? [given] : given))
      .describe('Cases that have to pass before; this one is skipped where one does not.'),
    each: z
      .array(z.record(valueName, json))
      .min(1)
      .readonly()
      .optional()
      .describe('The case is run for each row; {{ name }} is the value of its column.'),
    setup: steps.default([]).describe('Steps before it.'),
    teardown: steps.default([]).describe('Steps after it, whatever became of it.'),
    repeat: z
      .int()
      .positive()
      .max(mostRepeats)
      .optional()
      .describe('How often it is run; it passes where all runs do.'),
    retry: z.int().nonnegative().max(100).optional().describe('How often a failed run is tried again.'),
    skip: text.optional().describe('Why it is not run.'),
    isolation: isolation.optional().describe('case: a server of its own.'),
    client: clientSchema
      .optional()
      .describe('What the client can do, in place of what the suite says. The case has a server of its own.'),
    load: load.optional().describe('The request is sent by many clients, and measured.'),
  })
  .superRefine(hasOneAction)
  .superRefine(fitsLoad)
  .superRefine(fitsClient)
  .meta({ id: 'case', ...oneAction });

/** The form of a suite file. The source of docs/suite.schema.json, too. */
export const suiteSchema = z.strictObject({
  $schema: z.string().optional().describe('The schema of this file, for editors.'),
  version: z.literal(1).describe('The version of this form.'),
  name: text.max(300).optional().describe('What is tested; the name of the file unless said.'),
  description: z.string().optional().describe('More words about it, for whoever reads the file.'),
  server: z
    .union([commandServer, urlServer, scriptServer, configServer])
    .describe(
      'The server: a command, with a url where it speaks HTTP; an address; a Python script; or the name of an entry in an MCP config.',
    ),
  isolation: isolation
    .default('shared')
    .describe('shared: one server for all cases, started again after a crash. case: one for each case.'),
  client: clientSchema
    .optional()
    .describe('What the client declares that it can do, and answers when the server asks; nothing unless said.'),
  capabilities: z
    .array(text)
    .readonly()
    .optional()
    .describe('Capabilities that the server has to declare, such as tools or resources.subscribe.'),
  variables: z.record(valueName, json).default({}).describe('Values for {{ name }}.'),
  files: z
    .record(text, z.string())
    .default({})
    .describe('Files that are written into {{ temp }} before the server starts.'),
  timeout: duration().default(30_000).describe('Time that an answer may take, unless a case says otherwise.'),
  retry: z.int().nonnegative().max(100).default(0).describe('How often a failed run of a case is tried again.'),
  parallel: z.int().positive().max(mostParallel).default(1).describe('Cases that run at once.'),
  checks: checksSchema.default({}).describe('Built-in checks.'),
  conformance: conformanceSchema.optional().describe('The official conformance suite, against this server.'),
  setup: steps.default([]).describe('Steps before the first case.'),
  teardown: steps.default([]).describe('Steps after the last case.'),
  cases: z
    .array(caseSchema)
    .readonly()
    .default([])
    .describe('Requests to the server, and what has to hold of the answers.'),
});

export type SuiteDocument = z.output<typeof suiteSchema>;
export type SuiteInput = z.input<typeof suiteSchema>;
export type ServerSpec = SuiteDocument['server'];
export type CaseSpec = z.output<typeof caseSchema>;
export type StepSpec = z.output<typeof step>;
export type ValidatorSpec = z.output<typeof validator>;
export type CaptureSpec = z.output<typeof capture>;
export type LoadSpec = z.output<typeof load>;
