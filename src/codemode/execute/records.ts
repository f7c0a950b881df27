import { ExecutionError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { CallRecord, JsonObject, ToolResult } from '../../toolbox.js';
import { plainText } from './plain-text.js';
import type { NamedTool } from './tool-names.js';

/** The calls of one run, as they are shown, logged and counted. */
export interface Records {
  begin(named: NamedTool, args: JsonObject): CallInProgress;
  /** The first and the last, where there were many. */
  list(): readonly CallRecord[];
  readonly count: number;
  /** How often each tool was called: `server/tool`. */
  counts(): Readonly<Record<string, number>>;
  readonly servers: ReadonlySet<string>;
}

export interface CallInProgress {
  answered(result: ToolResult): void;
  failed(error: unknown): void;
}

export interface RecordsOptions {
  readonly run: string;
  readonly log: Log;
  readonly now?: () => number;
}

const keptAtEachEnd = 500;
const mostCounted = 200;
const mostLoggedOverLimit = 100;
const refusals: ReadonlySet<string> = new Set(['NOT_ALLOWED', 'CALL_LIMIT']);

export function createRecords({ run, log, now = () => performance.now() }: RecordsOptions): Records {
  const startedAt = now();
  const first: CallRecord[] = [];
  const last: CallRecord[] = [];
  const counts = new Map<string, number>();
  const servers = new Set<string>();
  let count = 0;
  let overLimit = 0;

  return {
    begin(named, args) {
      const begunAt = now();
      const server = plainText(named.server);
      const tool = plainText(named.tool);
      const facts = { server, tool, atMs: rounded(begunAt - startedAt), sentBytes: sizeOf(args) };
      return {
        answered(result) {
          servers.add(named.server);
          const outcome = result.isError
            ? ({ outcome: 'failed', code: result.code ?? 'TOOL_FAILED' } as const)
            : ({ outcome: 'done' } as const);
          const { content, structuredContent = null } = result;
          add({
            ...facts,
            wallMs: rounded(now() - begunAt),
            ...outcome,
            receivedBytes: sizeOf([content, structuredContent]),
          });
        },
        failed(error) {
          const code = error instanceof ExecutionError ? error.code : 'SERVER_FAILED';
          const outcome = refusals.has(code) ? 'refused' : 'failed';
          add({ ...facts, wallMs: rounded(now() - begunAt), outcome, code, receivedBytes: 0 });
        },
      };
    },
    list: () => [...first, ...last],
    get count() {
      return count;
    },
    counts: () => Object.fromEntries(counts),
    servers,
  };

  function add(record: CallRecord): void {
    const { server, tool, wallMs, outcome, code } = record;
    if (code === 'CALL_LIMIT') overLimit += 1;
    // A script that calls on and on after its last call must not fill the log.
    if (code !== 'CALL_LIMIT' || overLimit <= mostLoggedOverLimit) {
      log.info('tool called', { run, server, tool, ms: wallMs, outcome, ...(code !== undefined && { code }) });
    }
    count += 1;
    tally(`${server}/${tool}`);
    if (first.length < keptAtEachEnd) first.push(record);
    else last.push(record);
    if (last.length > keptAtEachEnd) last.shift();
  }

  function tally(name: string): void {
    const known = counts.has(name) || counts.size < mostCounted ? name : 'others';
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
