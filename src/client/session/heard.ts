import type { Hearing } from '../command/transport.js';
import type { Redact } from './redacted.js';

/** What a process says beside its messages, as far as that is kept. */
export interface Heard {
  readonly hearing: Hearing;
  /** The first lines on standard output that are no messages. */
  readonly noise: readonly string[];
  readonly lateAnswers: number;
  /** The last lines on standard error. */
  lastWords(): readonly string[];
}

const mostNoise = 20;
const longestNoise = 500;
const mostWords = 20;
const longestWord = 2000;

export function createHeard(redact: Redact): Heard {
  const noise: string[] = [];
  const words: string[] = [];
  let lateAnswers = 0;
  return {
    hearing: {
      onNoise(line) {
        if (noise.length < mostNoise) noise.push(cut(redact(line), longestNoise));
      },
      onStderr(line) {
        if (words.push(cut(line, longestWord)) > mostWords) words.shift();
      },
      onLateAnswer() {
        lateAnswers += 1;
      },
    },
    noise,
    get lateAnswers() {
      return lateAnswers;
    },
    lastWords: () => words.map(redact),
  };
}

function cut(line: string, longest: number): string {
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
