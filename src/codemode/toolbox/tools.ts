import type { JsonObject, JsonSchema, Tool } from '../../toolbox.js';
import { type CodeToolName, codeToolNames, inputSchemaOf } from './arguments.js';
import { listed } from './foreign-text.js';

/** The three tools as an agent reads them: all that it has to know, in few words. */
export function codeTools(servers: readonly string[]): readonly Tool[] {
  return codeToolNames.map((name) => ({
    name,
    description: descriptions[name](servers),
    inputSchema: inputSchemaOf(name),
    outputSchema: outputSchemas[name],
    annotations: annotations[name],
  }));
}

const descriptions: Readonly<Record<CodeToolName, (servers: readonly string[]) => string>> = {
  generate_wrappers: () =>
    'Writes the tools of the MCP servers as typed Python modules for scripts to import: once, and when tools changed. Changed tools are reported, for the user to accept.',
  discover_schemas: () =>
    'Learns what tools without an output schema return, by calling tools that the user marked as safe; generate_wrappers then types their results.',
  execute_script: (servers) =>
    `Runs Python that calls tools of the MCP servers ${named(servers)}. You see only what it shows: print(...) or result(value).
from mcp_execution import search_tools, describe_tool, call_tool, result, read_output, ToolError
search_tools("create issue") -> signatures, imports; describe_tool("github", "create_issue") -> schemas
from servers.github import create_issue, create_issue_async (after generate_wrappers), or call_tool("github", "create_issue", {...}). A failed tool raises ToolError.
Cut output: read_output(run) in a later script. No network; files only in the working folder, for this run.`,
};

function named(servers: readonly string[]): string {
  return servers.length === 0 ? '(none is configured)' : listed(servers, 40);
}

const text = { type: 'string' };
const list = { type: 'array' };

/** What programs rely on; more is in the results than is said here, where each word costs every agent. */
const outputSchemas: Readonly<Record<CodeToolName, JsonSchema>> = {
  generate_wrappers: objectWith({ servers: list }),
  discover_schemas: objectWith({ tools: list }),
  execute_script: objectWith({ run: text, value: {}, stdout: text, calls: list }),
};

function objectWith(properties: Readonly<Record<string, JsonObject>>): JsonSchema {
  return { type: 'object', properties };
}

const annotations: Readonly<Record<CodeToolName, JsonObject>> = {
  generate_wrappers: { readOnlyHint: false, destructiveHint: false },
  discover_schemas: { readOnlyHint: false, destructiveHint: false },
  execute_script: { readOnlyHint: false, destructiveHint: true },
};
