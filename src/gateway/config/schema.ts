import * as z from 'zod';
import { settingsSchema } from '../../config.js';
import { keyEntriesSchema } from '../access/keys.js';
import { oauthSchema } from '../access/oauth.js';
import { serviceIdForm } from '../service.js';
import { gatewaySettingsSchema } from '../settings.js';

const text = z.string().min(1);
const texts = z.array(text).readonly();

const described = {
  name: text.max(200).optional().describe('What lists show; the id where it is not given.'),
  description: z.string().max(2000).optional().describe('What the service is for, in place of what it says of itself.'),
  disabled: z.boolean().optional().describe('true: the service is not there.'),
};

const engineSettings = z.strictObject(withoutDefaults(settingsSchema));

export const scriptEntry = z.strictObject({
  script: z
    .union([text, z.array(text).min(1).readonly()], 'expected a path, or a list of paths')
    .describe('A Python file, a folder of them or a manifest; or several.'),
  only: texts.optional().describe('These tools alone: names or patterns.'),
  exclude: texts.optional().describe('All tools but these.'),
  settings: engineSettings.optional().describe('Settings that differ for this service.'),
  ...described,
});

export const commandEntry = z.strictObject({
  command: text.describe('The program of an MCP server that speaks on standard input and output.'),
  args: z.array(z.string()).readonly().optional().describe('Its arguments.'),
  env: z.record(text, z.string()).optional().describe('Variables for it, beside a safe list.'),
  cwd: text.optional().describe('The folder that it is started in. Not given: that of this file.'),
  stateless: z
    .boolean()
    .optional()
    .describe('true: one process may serve several clients. Not given: each client session has a process of its own.'),
  minProcesses: z.int().nonnegative().optional().describe('Processes that are kept ready.'),
  maxProcesses: z.int().positive().optional().describe('Processes at the most.'),
  settings: engineSettings.optional().describe('Settings that differ for this service.'),
  ...described,
});

export const urlEntry = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('The address of an MCP server.'),
  headers: z.record(text, z.string()).optional().describe('Headers of every request to it.'),
  settings: engineSettings.optional().describe('Settings that differ for this service.'),
  ...described,
});

export type ScriptEntry = z.output<typeof scriptEntry>;
export type CommandEntry = z.output<typeof commandEntry>;
export type UrlEntry = z.output<typeof urlEntry>;

/** By the property that only one of them has. */
export const serviceEntries = { script: scriptEntry, command: commandEntry, url: urlEntry } as const;

/** The config file of the gateway: its settings, and what they do not say. The source of docs/gateway.schema.json, too. */
export const gatewayConfigSchema = z.strictObject({
  $schema: z.string().optional().describe('The schema of this file, for editors.'),
  services: z
    .record(
      z
        .string()
        .regex(serviceIdForm, 'expected letters, digits, ".", "_" and "-", at most 64, the first a letter or digit'),
      z.union([scriptEntry, commandEntry, urlEntry]),
    )
    .optional()
    .describe('What is served, by id.'),
  keys: keyEntriesSchema.optional().describe('Who gets in by an API key; mcp-exec key makes entries.'),
  oauth: oauthSchema.optional().describe('Whose tokens are accepted.'),
  settings: engineSettings.optional().describe('Settings of the engine that all scripts run with.'),
  ...withoutDefaults(gatewaySettingsSchema),
});

/** A file says only what it says: defaults come last, after flags and variables. Editors are told of them. */
function withoutDefaults<S extends z.ZodObject>(schema: S): z.core.$ZodLooseShape {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => {
      const inner: unknown = field instanceof z.ZodDefault || field instanceof z.ZodOptional ? field.unwrap() : field;
      const fallback: unknown = z.safeParse(field, undefined).data;
      const description = z.globalRegistry.get(field)?.description;
      const meta = { description, ...(fallback !== undefined && { default: fallback }) };
      return [name, inner instanceof z.ZodType ? inner.optional().meta(meta) : field];
    }),
  );
}
