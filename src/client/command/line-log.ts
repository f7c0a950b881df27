import type { Log } from '../../log.js';

/** Lines that a server writes and that are no messages, in the log as far as that is bearable, the last ones kept. */
export interface LineLog {
  write(event: string, line: string): void;
  /** The last lines, for the entry about an end that nobody wished for. */
  last(): readonly string[];
}

const longestLine = 2000;
const keptLines = 20;
const linesPerWindow = 500;
const windowMs = 10_000;

export function createLineLog(log: Log, now: () => number = Date.now): LineLog {
  const kept: string[] = [];
  let windowEnd = 0;
  let written = 0;
  let leftOut = 0;
  return {
    write(event, line) {
      const text = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
      if (kept.push(text) > keptLines) kept.shift();
      if (now() >= windowEnd) {
        if (leftOut > 0) log.script.warn('the MCP server wrote more lines than are logged', { leftOut });
        windowEnd = now() + windowMs;
        written = leftOut = 0;
      }
      written += 1;
      if (written <= linesPerWindow) log.script.info(event, { line: text });
      else leftOut += 1;
    },
    last: () => [...kept],
  };
}
