import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../toolbox.js';

const longestName = 512;
const longestScript = 1024 * 1024;
const name = () => z.string().min(1).max(longestName);
const limit = () => z.int().positive().optional();
const object = () => z.custom<JsonObject>(isJsonObject, 'expected an object').meta({ type: 'object' });
/** All of them unless said. */
const servers = () => z.array(name()).max(1000).optional();
/** Only such as the server was started with. */
const config = () => name().optional();

const safeTools = z
  .union([z.array(name()).max(1000), z.record(name(), z.array(object()).max(20))], {
    error: 'expected a list of server/tool, or an object of lists of arguments by server/tool',
  })
  .describe('["server/tool"] or {"server/tool": [arguments, ...]}');

const limits = z
  .strictObject({
    timeoutMs: limit(),
    cpuMs: limit(),
    memoryBytes: limit(),
    maxOutputBytes: limit(),
    shownBytes: limit(),
    maxCalls: limit(),
  })
  .readonly();

export const limitNames = Object.keys(limits.unwrap().shape);

/** What each tool takes: the one source of its input schema and of its checks. */
export const argumentSchemas = {
  generate_wrappers: z.strictObject({
    servers: servers(),
    language: z.enum(['python', 'typescript']).optional(),
    config: config(),
  }),
  discover_schemas: z.strictObject({ servers: servers(), safe_tools: safeTools.optional(), config: config() }),
  execute_script: z
    .strictObject({
      script: z.string().min(1).max(longestScript).optional(),
      path: name().optional().describe('Or a .py file of the workspace'),
      saved: name().optional().describe('Or the name of a saved script'),
      args: z.array(z.string()).max(1000).optional().describe('sys.argv[1:]'),
      context: object().optional().describe('from mcp_execution import context'),
      limits: limits.optional(),
      save: name().optional().describe('Name to save it under'),
    })
    .refine((given) => sourcesIn(given).length === 1, {
      error: ({ input }) => `give one of script, path and saved; got ${sourcesIn(input).join(' and ') || 'none'}`,
    }),
} as const;

export type CodeToolName = keyof typeof argumentSchemas;
export type ArgumentsOf<N extends CodeToolName> = z.output<(typeof argumentSchemas)[N]>;

export const codeToolNames: readonly CodeToolName[] = ['generate_wrappers', 'discover_schemas', 'execute_script'];

/** The input schema as a model reads it, in which each word costs: without bounds, and without what names tell. */
export function inputSchemaOf(tool: CodeToolName): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(argumentSchemas[tool], {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const told = toldInstead.get(zodSchema);
      for (const keyword of told ? Object.keys(jsonSchema) : unread) delete jsonSchema[keyword];
      Object.assign(jsonSchema, told);
    },
  });
  return JSON.parse(JSON.stringify(schema));
}

const unread = ['minLength', 'maxLength', 'maxItems', 'propertyNames'];

const toldInstead = new Map<unknown, JsonSchema>([
  [limits, { type: 'object', description: limitNames.join(', ') }],
  [safeTools, { type: ['array', 'object'], description: safeTools.description ?? '' }],
]);

function sourcesIn(given: unknown): readonly string[] {
  const found = isJsonObject(given) ? given : {};
  return ['script', 'path', 'saved'].filter((key) => found[key] !== undefined);
}
