import { type ErrorCode, ExecutionError, errorTable } from '../../errors.js';
import type { JsonObject, ToolResult } from '../../toolbox.js';
import { callsSentence, summarise } from './calls-made.js';
import type { HostPaths } from './host-paths.js';
import { textBlock } from './present-run.js';

export interface FailureOptions {
  readonly paths: HostPaths;
  /** Of each of stdout and stderr. */
  readonly shownBytes: number;
}

/** What went wrong as a result that an agent can act on. What it can do nothing about is thrown, for the protocol to say. */
export function presentFailure(error: unknown, { paths, shownBytes }: FailureOptions): ToolResult {
  if (!(error instanceof ExecutionError) || isOnlyForProtocol(error)) throw error;
  const { message, details } = error;
  const code: ErrorCode = error.code;
  const { type, traceback = '', run, calls = [], figures, exitCode } = details;
  const [stdout, stderr] = [endOf(details.stdout, shownBytes), endOf(details.stderr, shownBytes)];
  const subject = [code === 'EXCEPTION' ? type : undefined, paths.hide(message)].filter(Boolean).join(': ');
  const paragraphs = [
    `${code}: ${subject}`,
    type === 'SystemExit' ? '' : paths.hideInTraceback(traceback).trimEnd(),
    printed('stdout', stdout),
    printed('stderr', stderr),
    callsSentence(calls) ?? '',
    adviceOn(error),
  ];
  const structuredContent: JsonObject | undefined =
    run === undefined ? undefined : { run, value: null, stdout, stderr, calls: summarise(calls), error: code };
  return {
    content: [textBlock(paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'))],
    ...(structuredContent && { structuredContent }),
    isError: true,
    code,
    ...(exitCode !== undefined && { exitCode }),
    ...(figures && { figures }),
  };
}

/** Failures of the host. An agent mends what a caller did wrong, though the protocol has errors for that too. */
function isOnlyForProtocol({ code, fault }: ExecutionError): boolean {
  return code === 'UNKNOWN_TOOL' || (fault === 'host' && errorTable[code].mcp.outcome === 'error');
}

/** Where the table speaks to whoever runs a script, an agent is told what it can do itself. */
function adviceOn({ code, fault, advice, details }: ExecutionError): string {
  if (fault === 'caller' || code === 'EXCEPTION') return '';
  if (code !== 'IMPORT_ERROR') return advice;
  return /^servers(\.|$)/.test(details.module ?? '')
    ? 'Run generate_wrappers, which writes these modules; search_tools gives the import line of a tool.'
    : 'Scripts have the standard library, mcp_execution and servers; whoever runs the server may choose a Python with more.';
}

/** The end says most of how it came to a failure. */
function endOf(text = '', bytes: number): string {
  return text.length <= bytes ? text : `… (${text.length - bytes} characters before)\n${text.slice(-bytes)}`;
}

function printed(stream: 'stdout' | 'stderr', text: string): string {
  return text.trim() === '' ? '' : `Printed to ${stream}:\n${text.trimEnd()}`;
}
