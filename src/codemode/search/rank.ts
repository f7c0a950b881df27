import { isJsonObject, type Tool } from '../../toolbox.js';
import { wordsAskedFor, wordsOf } from './words.js';

/** Something that can be found, with how much each word in it counts. */
export interface Findable {
  readonly server: string;
  readonly tool: Tool;
}

interface Weighed {
  readonly weights: ReadonlyMap<string, number>;
  readonly nameWords: readonly string[];
}

/** A word counts as much as the best place where it stands. */
const weightOf = { name: 10, title: 6, server: 4, beginning: 3, parameter: 2, description: 1 } as const;
const forWholeName = 5;
const forBeginning = 0.5;
const aboutASentence = 120;
const longestDescription = 1000;
const mostParameters = 60;

/** Those that have any of the words, the best first; of equals, in the order given. */
export function rank<T extends Findable>(question: string, all: readonly T[]): readonly T[] {
  const words = wordsAskedFor(question);
  const weighed = all.map((one) => ({ one, weighed: weigh(one) }));
  const matches = words.map((word) => weighed.map((item) => matchOf(word, item.weighed)));
  const rarities = matches.map((found) => rarityOf(found.filter((match) => match > 0).length, all.length));
  return weighed
    .map(({ one, weighed: { nameWords } }, index) => {
      const found = matches.map((match) => match[index] ?? 0);
      const sum = found.reduce((total, match, word) => total + match * (rarities[word] ?? 0), 0);
      const matched = found.filter((match) => match > 0).length;
      const isWholeName = nameWords.length > 0 && nameWords.every((word) => words.includes(word));
      return {
        one,
        score: (sum * matched) / (words.length || 1) + (isWholeName ? forWholeName : 0),
        length: nameWords.length,
      };
    })
    .filter(({ score }) => score > 0)
    .sort((first, second) => second.score - first.score || first.length - second.length)
    .map(({ one }) => one);
}

const weighedTools = new WeakMap<Tool, Map<string, Weighed>>();

function weigh({ server, tool }: Findable): Weighed {
  const known = weighedTools.get(tool) ?? new Map<string, Weighed>();
  weighedTools.set(tool, known);
  const weighed = known.get(server) ?? weighAnew(server, tool);
  known.set(server, weighed);
  return weighed;
}

function weighAnew(server: string, { name, title, description = '', inputSchema }: Tool): Weighed {
  const nameWords = [...new Set(wordsOf(name.slice(0, 200)))];
  const parameters = isJsonObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const weights = new Map<string, number>();
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  };
  add(
    [
      ...nameWords,
      ...wordsOf(
        name
          .slice(0, 200)
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]/gu, ''),
      ),
    ],
    weightOf.name,
  );
  add(wordsOf((title ?? '').slice(0, 200)), weightOf.title);
  add(wordsOf(server.slice(0, 200)), weightOf.server);
  add(wordsOf(description.slice(0, aboutASentence)), weightOf.beginning);
  add(wordsOf(parameters.slice(0, mostParameters).join(' ').slice(0, longestDescription)), weightOf.parameter);
  add(wordsOf(description.slice(0, longestDescription)), weightOf.description);
  return { weights, nameWords };
}

function matchOf(word: string, { weights }: Weighed): number {
  const whole = weights.get(word);
  if (whole !== undefined) return whole;
  if (word.length < 3 && isPlain(word)) return 0;
  let best = 0;
  for (const [known, weight] of weights) if (weight > best && isPartOf(word, known)) best = weight;
  return best * forBeginning;
}

/** Not every script has spaces between words. */
function isPartOf(word: string, known: string): boolean {
  return isPlain(word) ? known.startsWith(word) : known.includes(word);
}

function isPlain(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}

/** What is said of every tool tells little. */
function rarityOf(found: number, all: number): number {
  return found === 0 ? 0 : Math.log(1 + all / found);
}
