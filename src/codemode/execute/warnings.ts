import { plainText } from './plain-text.js';

/** What a run has to tell beside its result: each sentence once, and not too many. */
export interface Warnings {
  /** Whether it was not told before. */
  add(sentence: string): boolean;
  list(): readonly string[];
}

const most = 20;
const longest = 500;

export function createWarnings(): Warnings {
  const sentences = new Set<string>();
  let beyond = 0;
  return {
    add(sentence) {
      const plain = plainText(sentence, longest);
      if (sentences.has(plain)) return false;
      const isKept = sentences.size < most;
      if (isKept) sentences.add(plain);
      else beyond += 1;
      return isKept;
    },
    list: () => [
      ...sentences,
      ...(beyond === 0 ? [] : [`There was more of the kind: ${beyond} such warnings are left out.`]),
    ],
  };
}
