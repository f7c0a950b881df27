import type { CodeExecution, DescribedTool, ToolEntry } from '../codemode/code-execution.js';
import { CallerError } from '../errors.js';
import { tellFailures } from './code-failures.js';
import type { CodeVerbSettings } from './code-flags.js';
import type { CodeLive } from './code-live.js';
import { splitToolName } from './code-names.js';
import { withCode } from './code-session.js';
import { harmless, harmlessLines, printableJson } from './harmless.js';
import { formatTable } from './table.js';
import { paint, type Terminal } from './terminal.js';

export interface ListToolsFlags {
  readonly search?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Shows the tools of servers, or all that is known of some of them. */
export function listTools(
  names: readonly string[],
  flags: ListToolsFlags,
  settings: CodeVerbSettings,
  terminal: Terminal,
): Promise<number> {
  return withCode({ settings, terminal, asJson: flags.json }, async (code, live) => {
    const servers = names.filter((name) => isServer(name, code.servers));
    const tools = names.filter((name) => !servers.includes(name));
    if (tools.length === 0) return await list(code, servers, flags, live, terminal);
    if (servers.length > 0 || flags.search !== undefined) {
      throw new CallerError('INVALID_ARGUMENTS', `Name servers, or tools such as ${tools[0]}, not both in one go`);
    }
    return await describe(code, tools, flags, live, terminal);
  });
}

/** A word without a slash can be nothing else; whether there is such a server is for the search to say. */
function isServer(name: string, servers: readonly string[]): boolean {
  return servers.includes(name) || splitToolName(name, servers) === undefined;
}

async function list(
  code: CodeExecution,
  servers: readonly string[],
  { search, limit, json }: ListToolsFlags,
  live: CodeLive,
  terminal: Terminal,
): Promise<number> {
  const { tools, failures } = await code.searchTools({
    words: search,
    servers: servers.length === 0 ? undefined : servers,
    limit,
    signal: terminal.interrupt,
    onEvent: live.onEvent,
  });
  live.end();
  if (json) terminal.out(`${printableJson(tools)}\n`);
  else if (tools.length > 0) terminal.out(formatTable(columns, tools.map(rowOf), terminal));
  else if (failures.length === 0) terminal.note(`${nothing(search, code.servers)}\n`);
  return tellFailures(failures, terminal);
}

const columns = [{ title: 'server' }, { title: 'tool' }, { title: 'what it does' }];

function rowOf({ server, tool, summary }: ToolEntry): readonly string[] {
  return [server, tool, summary];
}

function nothing(search: string | undefined, servers: readonly string[]): string {
  if (servers.length === 0) return 'The config names no server that is enabled.';
  return search === undefined ? 'There are no tools.' : `No tool matches "${harmless(search)}".`;
}

async function describe(
  code: CodeExecution,
  names: readonly string[],
  { json }: ListToolsFlags,
  live: CodeLive,
  terminal: Terminal,
): Promise<number> {
  const described: DescribedTool[] = [];
  for (const name of names) {
    const { server, tool } = splitToolName(name, code.servers) ?? { server: name, tool: '' };
    described.push(await code.describeTool(server, tool, { signal: terminal.interrupt, onEvent: live.onEvent }));
  }
  live.end();
  terminal.out(json ? `${printableJson(described)}\n` : described.map((tool) => page(tool, terminal)).join('\n'));
  return 0;
}

function page(tool: DescribedTool, terminal: Terminal): string {
  const { server, signature, description, inputSchema, resultSchema, resultOrigin } = tool;
  const title = paint(terminal, 'bold', harmless(`${server}/${tool.tool}`));
  const lines = [
    title,
    `  ${harmless(tool.import)}`,
    `  ${harmless(signature)}`,
    ...(description === '' ? [] : ['', indented(harmlessLines(description))]),
    '',
    'Parameters:',
    indented(printableJson(inputSchema)),
    ...(resultSchema === undefined ? [] : [`Result, ${resultOrigin}:`, indented(printableJson(resultSchema))]),
  ];
  return `${lines.join('\n')}\n`;
}

function indented(text: string): string {
  return text.trim().replace(/^/gm, '  ');
}
