import type { DiscoverSchemasResult, ToolSchemaReport } from '../codemode/code-execution.js';
import { counted, tellFailures } from './code-failures.js';
import type { CodeVerbSettings } from './code-flags.js';
import { withCode } from './code-session.js';
import { harmless, printableJson } from './harmless.js';
import { parseSafeTools } from './safe-tools.js';
import { formatTable } from './table.js';
import type { Terminal } from './terminal.js';

export interface SchemasFlags {
  readonly safe?: readonly string[];
  readonly acceptReadOnly?: boolean;
  readonly json?: boolean;
}

/** Learns what tools answer, and tells where the schema of each comes from. */
export function learnSchemas(
  servers: readonly string[],
  flags: SchemasFlags,
  settings: CodeVerbSettings,
  terminal: Terminal,
): Promise<number> {
  return withCode({ settings, terminal, asJson: flags.json }, async (code, live) => {
    const result = await code.discoverSchemas({
      servers: servers.length === 0 ? undefined : servers,
      safeTools: await parseSafeTools(flags.safe ?? [], code.servers),
      acceptReadOnly: flags.acceptReadOnly,
      signal: terminal.interrupt,
      onEvent: live.onEvent,
    });
    live.end();
    if (flags.json) terminal.out(`${printableJson(result)}\n`);
    else show(result, terminal);
    return tellFailures(result.failures, terminal);
  });
}

function show({ tools }: DiscoverSchemasResult, terminal: Terminal): void {
  if (tools.length > 0) terminal.out(formatTable(columns, tools.map(rowOf), terminal));
  for (const { server, tool, drift } of tools) {
    if (drift !== undefined)
      terminal.note(harmless(`${server}/${tool} changed what it answers: ${drift}`).concat('\n'));
  }
  tellReasons(tools, terminal);
  const count = (origin: ToolSchemaReport['origin']) => tools.filter((tool) => tool.origin === origin).length;
  const known = `${count('declared')} declared, ${count('inferred')} inferred, ${count('none')} not known`;
  terminal.note(`${counted(tools.length, 'tool')}: ${known}\n`);
  if (count('inferred') > 0) terminal.note('Next: mcp-exec generate gives the functions these result types.\n');
}

const columns = [{ title: 'server' }, { title: 'tool' }, { title: 'result' }];

function rowOf({ server, tool, origin, samples }: ToolSchemaReport): readonly string[] {
  const inferred = `inferred from ${counted(samples, 'answer')}`;
  return [server, tool, { declared: 'declared', inferred, none: 'not known' }[origin]];
}

const mostToolsShown = 8;

/** Most tools that were not called have the same reason, which is told once. */
function tellReasons(tools: readonly ToolSchemaReport[], terminal: Terminal): void {
  const named = new Map<string, string[]>();
  for (const { server, tool, origin, reason } of tools) {
    if (origin === 'none' && reason !== undefined)
      named.set(reason, [...(named.get(reason) ?? []), `${server}/${tool}`]);
  }
  for (const [reason, names] of named) {
    const more = names.length > mostToolsShown ? ` and ${names.length - mostToolsShown} more` : '';
    terminal.note(`${harmless(`${names.slice(0, mostToolsShown).join(', ')}${more}: ${reason}`)}\n`);
  }
  if (named.size > 0)
    terminal.note('--safe SERVER/TOOL marks a tool as safe; --accept-read-only accepts what tools say.\n');
}
