import type { Log } from '../log.js';
import type { Tool } from '../toolbox.js';
import { serverFailed } from './failures.js';
import { readToolPage } from './results.js';

export interface ToolList {
  readonly tools: readonly Tool[];
  /** How long the server says that the list stays as it is; not said by most. */
  readonly ttlMs?: number;
}

type AskPage = (params: { readonly cursor?: string }) => Promise<Readonly<Record<string, unknown>>>;

const mostPages = 1000;
const mostTools = 50_000;
const mostBytes = 64 * 1024 * 1024;

/** Every page of the list, as long as it leads to an end. Of several tools of one name, the first is kept. */
export async function listAllTools(ask: AskPage, log: Log): Promise<ToolList> {
  const tools = new Map<string, Tool>();
  const seen = new Set<string>();
  const reasons = new Set<string>();
  let leftOut = 0;
  let ttlMs = Number.POSITIVE_INFINITY;
  let bytes = 0;
  let cursor: string | undefined;
  do {
    const page = readToolPage(await ask(cursor === undefined ? {} : { cursor }));
    for (const reason of page.leftOut) leaveOut(reason);
    for (const tool of page.tools) {
      if (tools.has(tool.name)) leaveOut('a name for the second time');
      else tools.set(tool.name, tool);
    }
    ttlMs = Math.min(ttlMs, page.ttlMs ?? ttlMs);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    bytes += JSON.stringify(page.tools).length;
    if (seen.has(cursor)) throw endless('the same page comes again');
    seen.add(cursor);
    if (seen.size >= mostPages) throw endless(`it has more than ${mostPages} pages`);
    if (bytes > mostBytes) throw endless(`it takes more than ${mostBytes} bytes`);
  } while (tools.size <= mostTools);
  if (tools.size > mostTools) throw endless(`it has more than ${mostTools} tools`);
  if (leftOut > 0) {
    log.warn('an MCP server lists what is no tool, or twice of the same name', { leftOut, reasons: [...reasons] });
  }
  return { tools: [...tools.values()], ...(Number.isFinite(ttlMs) && { ttlMs }) };

  function leaveOut(reason: string): void {
    leftOut += 1;
    reasons.add(reason);
  }
}

function endless(why: string): Error {
  return serverFailed(`The list of tools of the MCP server has no end: ${why}`);
}
