import { relative } from 'node:path';
import type {
  CodeExecution,
  Failure,
  GeneratedServer,
  GenerateResult,
  ToolChange,
} from '../codemode/code-execution.js';
import { counted, tellFailures } from './code-failures.js';
import type { CodeVerbSettings } from './code-flags.js';
import { withCode } from './code-session.js';
import { harmless, printableJson } from './harmless.js';
import { formatTable } from './table.js';
import type { Terminal } from './terminal.js';

export interface GenerateFlags {
  readonly servers?: readonly string[];
  readonly typescript?: boolean;
  readonly keepPinned?: boolean;
  readonly json?: boolean;
}

const mostChangesShown = 12;

/** Writes the wrappers and tells what became of each server. Gives the exit code of the first that failed. */
export function generate(flags: GenerateFlags, settings: CodeVerbSettings, terminal: Terminal): Promise<number> {
  return withCode({ settings, terminal, asJson: flags.json }, async (code, live) => {
    const result = await code.generateWrappers({
      servers: flags.servers,
      language: flags.typescript ? 'typescript' : 'python',
      acceptChanges: flags.keepPinned !== true,
      signal: terminal.interrupt,
      onEvent: live.onEvent,
    });
    const example = flags.json ? undefined : await importExample(code, result);
    live.end();
    if (flags.json) terminal.out(`${printableJson(result)}\n`);
    else show(result, terminal);
    const exitCode = tellFailures(result.servers.flatMap(failureOf), terminal);
    if (example !== undefined)
      terminal.note(`Next: a script that begins with\n  ${example}\nruns by: mcp-exec run SCRIPT\n`);
    return exitCode;
  });
}

function show(result: GenerateResult, terminal: Terminal): void {
  const rows = result.servers
    .filter(({ failure }) => failure === undefined)
    .map((server) => [
      server.server,
      server.module,
      String(server.tools),
      String(result.written.filter((path) => path.startsWith(`${server.module}/`)).length),
      describeChanges(server),
    ]);
  if (rows.length > 0) terminal.out(formatTable(columns, rows, terminal));
  for (const { server, changes, isPinned } of result.servers) {
    if (isPinned) terminal.note(`${harmless(server)} keeps its tools as they were generated: ${listed(changes)}\n`);
  }
  const folder = relative(process.cwd(), result.folder) || '.';
  const { written, removed, unchanged } = result;
  terminal.note(
    `${folder.startsWith('..') ? result.folder : folder}: ${counted(written.length, 'file')} written, ${removed.length} removed, ${unchanged} as before\n`,
  );
}

const columns = [
  { title: 'server' },
  { title: 'module' },
  { title: 'tools', isNumber: true },
  { title: 'written', isNumber: true },
  { title: 'changes' },
];

function describeChanges({ changes, isPinned }: GeneratedServer): string {
  if (changes.length === 0) return '';
  return isPinned ? `${counted(changes.length, 'change')}, not taken over` : listed(changes);
}

function listed(changes: readonly ToolChange[]): string {
  const kinds = ['added', 'changed', 'removed'] as const;
  const parts = kinds.flatMap((kind) => {
    const tools = changes.filter(({ change }) => change === kind).map(({ tool }) => tool);
    if (tools.length === 0) return [];
    const more = tools.length > mostChangesShown ? ` and ${tools.length - mostChangesShown} more` : '';
    return [`${kind} ${tools.slice(0, mostChangesShown).join(', ')}${more}`];
  });
  return harmless(parts.join('; '));
}

function failureOf({ server, failure }: GeneratedServer): readonly (Failure & { readonly server: string })[] {
  return failure === undefined ? [] : [{ ...failure, server }];
}

/** An import that works now: of the first server that has a tool. */
async function importExample(code: CodeExecution, { servers }: GenerateResult): Promise<string | undefined> {
  const first = servers.find(({ tools, failure }) => tools > 0 && failure === undefined);
  if (first === undefined) return undefined;
  const { tools } = await code.searchTools({ servers: [first.server], limit: 1 });
  return tools[0] && harmless(tools[0].import);
}
