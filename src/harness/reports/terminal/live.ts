import { cutTo } from './width.js';

const clearLine = '\r\u001b[K';
const redrawMs = 100;

/** A line at the foot of the terminal that is drawn again and again, while others are printed above it. */
export interface Live {
  print(text: string): void;
  end(): void;
}

export function createLive(write: (text: string) => void, columns: () => number, line: () => string): Live {
  let drawn = '';
  const draw = () => {
    const text = cutTo(line(), Math.max(20, columns() - 1));
    if (text === drawn) return;
    write(`${clearLine}${text}`);
    drawn = text;
  };
  const erase = () => {
    if (drawn !== '') write(clearLine);
    drawn = '';
  };
  const ticker = setInterval(draw, redrawMs).unref();
  draw();
  return {
    print(text) {
      erase();
      write(text);
      draw();
    },
    end() {
      clearInterval(ticker);
      erase();
    },
  };
}
