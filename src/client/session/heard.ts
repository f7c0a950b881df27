import type { StrayAnswer } from '../../testedserver.js';
import type { Hearing } from '../command/transport.js';
import type { Redact } from './redacted.js';

/** What a process says beside its messages, as far as that is kept. */
export interface Heard {
  readonly hearing: Hearing;
  /** The first lines on standard output that are no messages. */
  readonly noise: readonly string[];
  /** The first answers that nobody waits for. */
  readonly strayAnswers: readonly StrayAnswer[];
  readonly lateAnswers: number;
  /** The last lines on standard error, of those after so many. */
  lastWords(since?: number): readonly string[];
  readonly wordCount: number;
}

const mostNoise = 20;
const longestNoise = 500;
const mostWords = 20;
const longestWord = 2000;

export function createHeard(redact: Redact): Heard {
  const noise: string[] = [];
  const strayAnswers: StrayAnswer[] = [];
  const words: string[] = [];
  let lateAnswers = 0;
  let wordCount = 0;
  return {
    hearing: {
      onNoise(line) {
        if (noise.length < mostNoise) noise.push(cut(redact(line), longestNoise));
      },
      onStrayAnswer(line, isRepeated) {
        if (strayAnswers.length < mostNoise) strayAnswers.push({ line: cut(redact(line), longestNoise), isRepeated });
      },
      onStderr(line) {
        wordCount += 1;
        if (words.push(cut(line, longestWord)) > mostWords) words.shift();
      },
      onLateAnswer() {
        lateAnswers += 1;
      },
    },
    noise,
    strayAnswers,
    get lateAnswers() {
      return lateAnswers;
    },
    get wordCount() {
      return wordCount;
    },
    lastWords: (since = 0) => words.slice(Math.max(0, words.length - (wordCount - since))).map(redact),
  };
}

function cut(line: string, longest: number): string {
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
