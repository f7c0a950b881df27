import type { CallEvent } from '../toolbox.js';
import { harmless, harmlessLines } from './harmless.js';
import { createLive, type Live } from './live.js';
import { columnsOf, cut } from './table.js';
import type { Terminal } from './terminal.js';

export interface CodeLive extends Live {
  readonly onServerStart: (server: string) => void;
  readonly onServerStarted: (server: string) => void;
  /** Shows nothing that a script writes while a person is asked: it could look like another question. */
  hold<T>(ask: () => Promise<T>): Promise<T>;
}

/** Shows what an operation on MCP servers is at: those that start, progress, and what a script writes. */
export function createCodeLive(terminal: Terminal, printsData = false): CodeLive {
  const live = createLive(terminal, printsData);
  const starting = new Set<string>();
  let held: Promise<unknown> | undefined;
  const draw = (text: string) => live.draw(cut(harmless(text), columnsOf(terminal) - 1));

  return {
    draw,
    end: live.end,
    onServerStart(server) {
      starting.add(server);
      drawStarting();
    },
    onServerStarted(server) {
      if (!starting.delete(server)) return;
      if (starting.size === 0) live.end();
      else drawStarting();
    },
    hold(ask) {
      live.end();
      const asked = ask().finally(() => {
        if (held === asked) held = undefined;
      });
      held = asked;
      return asked;
    },
    onEvent: (event) => whenFree(event),
  };

  /** A script waits with what it writes for as long as the promise is open. */
  function whenFree(event: CallEvent): void | Promise<void> {
    if (held) return held.catch(() => undefined).then(() => whenFree(event));
    starting.clear();
    if (event.type === 'progress') return draw(describeProgress(event));
    return live.onEvent(shown(event));
  }

  function drawStarting(): void {
    draw(`starting ${[...starting].join(', ')} …`);
  }

  /** A script may print what a server told it. On a terminal that must command nothing; in a pipe it stays what it is. */
  function shown(event: CallEvent): CallEvent {
    if (event.type === 'log') return { ...event, message: harmlessLines(event.message) };
    if (event.type !== 'output') return event;
    const isWatched = printsData && event.stream === 'stdout' ? terminal.outWatched : terminal.watched;
    return isWatched ? { ...event, line: harmlessLines(event.line) } : event;
  }
}

function describeProgress({ done, total, message }: Extract<CallEvent, { type: 'progress' }>): string {
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  return message === undefined ? count : `${count} ${message}`;
}
