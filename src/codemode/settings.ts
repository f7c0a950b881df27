import * as z from 'zod';
import { codeEnvironmentPrefix, settingNames } from '../config.js';
import { createSettingFamily } from '../settings.js';

const names = () => z.array(z.string().min(1)).readonly();
const count = () => z.int().positive();
const milliseconds = () =>
  z
    .int()
    .positive()
    .max(2 ** 31 - 1);

/** The one source of what can be set for code execution, beside the settings of the engine. */
export const codeSettingsSchema = z.strictObject({
  config: names()
    .default([])
    .describe(
      'Files that name MCP servers, or clients whose file is meant (claude-desktop, claude-code, cursor, vscode, windsurf, codex). Not given: .mcp.json, mcp_config.json, .cursor/mcp.json or .vscode/mcp.json in the working folder, the first that there is.',
    ),
  workspace: z
    .string()
    .min(1)
    .default('.')
    .describe('The folder for servers/ (generated), schemas/, scripts/ and runs/.'),
  allowTools: names()
    .optional()
    .describe('Tools that scripts may call: server, server/tool, or with * for any part of a name. Not given: all.'),
  denyTools: names().default([]).describe('Tools that scripts may not call, in the same form. Wins over allowTools.'),
  readOnly: z.boolean().default(false).describe('Scripts may call only tools that declare that they change nothing.'),
  askTools: names()
    .default([])
    .describe('Tools for each call of which a person is asked; refused where nobody can be.'),
  maxCalls: count().default(1000).describe('Tool calls that one script may make.'),
  maxRuns: count().default(8).describe('Scripts that run at once.'),
  runsPerMinute: count().default(120).describe('Scripts that are started in a minute; one more is refused.'),
  shownBytes: count()
    .min(256)
    .default(20_000)
    .describe('Output shown in a result, for each of stdout, stderr and the value; the whole is kept in runs/.'),
  keepRuns: z.int().nonnegative().default(100).describe('Runs of which cut output is kept; the oldest go first.'),
  callTimeoutMs: milliseconds().default(60_000).describe('Time that one tool call may take.'),
  startTimeoutMs: milliseconds().default(30_000).describe('Time in which an MCP server has to introduce itself.'),
});

export type CodeSettings = z.output<typeof codeSettingsSchema>;
export type CodeSettingsInput = z.input<typeof codeSettingsSchema>;

export const codeSettingFamily = createSettingFamily(codeSettingsSchema, {
  environmentPrefix: codeEnvironmentPrefix,
  taken: { names: settingNames, word: 'code' },
});
