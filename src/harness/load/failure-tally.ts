import type { Finding, LoadReport } from '../report.js';

const mostKinds = 200;
const mostTold = 5;
const longestMessage = 300;

/** Failed calls by what was said of them. Messages that differ in numbers alone count as the same. */
export class FailureTally {
  readonly #kinds = new Map<string, { readonly message: string; count: number }>();
  #calls = 0;

  get calls(): number {
    return this.#calls;
  }

  add(findings: readonly Finding[]): void {
    const [first] = findings;
    if (!first) return;
    this.#calls += 1;
    const message = clipped(first.message);
    const kind = message.replace(/\d+(\.\d+)?/g, '0');
    const known = this.#kinds.get(kind);
    if (known) known.count += 1;
    else if (this.#kinds.size < mostKinds) this.#kinds.set(kind, { message, count: 1 });
  }

  mostFrequent(): LoadReport['failures'] {
    return [...this.#kinds.values()]
      .sort((one, other) => other.count - one.count)
      .slice(0, mostTold)
      .map(({ message, count }) => ({ message, count }));
  }
}

function clipped(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
}
