import type { OnEvent } from '../toolbox.js';
import { paint, type Terminal } from './terminal.js';

const clearLine = '\r\u001b[K';

export interface Live {
  readonly onEvent: OnEvent;
  /** Shows this in the place of progress, until something else is to be seen. */
  draw(text: string): void;
  /** Takes the last progress off the screen. */
  end(): void;
}

/** Shows on stderr what a script writes while it runs; what it prints may be data for stdout. */
export function createLive(terminal: Terminal, printsData = false): Live {
  const canDraw = terminal.watched && terminal.environment.TERM !== 'dumb';
  let drawn = false;
  const erase = () => {
    if (drawn) terminal.note(clearLine);
    drawn = false;
  };
  const draw = (text: string) => {
    if (!canDraw) return;
    erase();
    drawn = true;
    terminal.note(paint(terminal, 'dim', text));
  };
  return {
    draw,
    end: erase,
    onEvent(event) {
      switch (event.type) {
        case 'output':
          erase();
          return (printsData && event.stream === 'stdout' ? terminal.out : terminal.note)(`${event.line}\n`);
        case 'log':
          erase();
          return terminal.note(`${paint(terminal, 'dim', `[${event.level}]`)} ${event.message}\n`);
        case 'progress':
          return draw(describeProgress(event));
      }
    },
  };
}

function describeProgress({ done, total, message }: { done: number; total?: number; message?: string }): string {
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  return message === undefined ? count : `${count} ${message}`;
}
