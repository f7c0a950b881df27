import { createCapture, withLineEnd } from './capture.js';
import { createLines } from './lines.js';
import { createMarkFinder } from './mark.js';
import { countReplaced } from './utf8.js';

export interface RedrawProgress {
  readonly done: number;
  readonly total?: number;
  readonly message: string;
}

export interface OutputOptions {
  readonly maxCapturedBytes: number;
  readonly onLine?: (line: string) => void;
  /** Each state of a line that is redrawn with `\r`; where the text has no figures, `done` counts the states. */
  readonly onProgress?: (progress: RedrawProgress) => void;
  /** Secret bytes that the child writes last; they show up nowhere, and the bytes after them are not this call's. */
  readonly mark?: Buffer;
  readonly onMark?: (rest: Buffer) => void;
}

/** One stream of one call: raw bytes in; lines, progress and captured text out. */
export interface Output {
  push(chunk: Buffer): void;
  /** Gives out what is held back. The mark does the same; calling it again does nothing. */
  end(): void;
  /** What a terminal would still show, with marks where bytes were cut or replaced; complete after the end. */
  readonly text: string;
  readonly bytes: number;
  readonly cutBytes: number;
  readonly replacedBytes: number;
}

export function createOutput({ maxCapturedBytes, onLine, onProgress, mark, onMark }: OutputOptions): Output {
  const capture = createCapture(maxCapturedBytes);
  const finder = mark && createMarkFinder(mark);
  const lines = createLines({ onLine: tellLine, onRedraw: tellProgress, onKept: capture.add });
  let bytes = 0;
  let replacedBytes = 0;
  let ended = false;
  let states = 0;
  let lastState = '';
  let lastFigures: Omit<RedrawProgress, 'message'> | undefined;

  return {
    push(chunk) {
      if (ended) return;
      if (!finder) return take(chunk);
      const { before, after } = finder.push(chunk);
      take(before);
      if (!after) return;
      finish();
      onMark?.(after);
    },
    end() {
      if (ended) return;
      if (finder) take(finder.held);
      finish();
    },
    get text() {
      return replacedBytes === 0 ? capture.text : `${withLineEnd(capture.text)}${replacedMark(replacedBytes)}\n`;
    },
    get bytes() {
      return bytes;
    },
    get cutBytes() {
      return capture.cutBytes;
    },
    get replacedBytes() {
      return replacedBytes;
    },
  };

  function take(part: Buffer): void {
    bytes += part.length;
    lines.push(part);
  }

  function finish(): void {
    ended = true;
    lines.end();
  }

  function tellLine(part: Buffer, from: number, to: number): void {
    if (states > 0) forgetStates();
    const text = from === to ? '' : part.toString('utf8', from, to);
    replacedBytes += countReplaced(text, part, from, to);
    onLine?.(text);
  }

  function forgetStates(): void {
    states = 0;
    lastState = '';
    lastFigures = undefined;
  }

  function tellProgress(part: Buffer, from: number, to: number): void {
    if (!onProgress) return;
    const message = part.toString('utf8', from, to).trim();
    if (message === lastState) return;
    lastState = message;
    states += 1;
    lastFigures = readFigures(message) ?? lastFigures;
    onProgress({ ...(lastFigures ?? { done: states }), message });
  }
}

function replacedMark(count: number): string {
  return count === 1
    ? '[… 1 byte was not UTF-8 and was replaced]'
    : `[… ${count} bytes were not UTF-8 and were replaced]`;
}

const figuresWithin = 400;
const count = String.raw`(\d{1,15}(?:\.\d{1,9})?)([kKMGTP]?)i?B?`;
const fraction = new RegExp(`${count} ?/ ?${count}`);
const percentage = /(\d{1,3}(?:\.\d{1,9})?) ?%/;
const unitExponents = { '': 0, k: 1, K: 1, M: 2, G: 3, T: 4, P: 5 } as const;

/** "3/10", "512k/1.50M" or "30%", as progress bars write them. */
function readFigures(message: string): { readonly done: number; readonly total: number } | undefined {
  const text = message.slice(0, figuresWithin);
  const [, done = '', doneUnit = '', total = '', totalUnit = ''] = fraction.exec(text) ?? [];
  const figures = { done: scaled(done, doneUnit), total: scaled(total, totalUnit) };
  if (figures.total > 0 && figures.done <= figures.total) return figures;
  const percent = percentage.exec(text)?.[1];
  return percent === undefined ? undefined : { done: Number(percent), total: 100 };
}

function scaled(digits: string, unit: string): number {
  return Number(digits) * 1000 ** (isUnit(unit) ? unitExponents[unit] : 0);
}

function isUnit(unit: string): unit is keyof typeof unitExponents {
  return Object.hasOwn(unitExponents, unit);
}
