import { createInterface } from 'node:readline/promises';

interface AskOptions {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
  readonly signal?: AbortSignal;
}

/** Asks the person at the terminal; an empty answer means yes, the end of input means no. */
export async function confirm(question: string, options: AskOptions = {}): Promise<boolean> {
  const { input = process.stdin, output = process.stderr, signal } = options;
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('n')));
  try {
    const answer = await Promise.race([lines.question(`${question} [Y/n] `, { signal }), ended]);
    return /^\s*(y|yes)?\s*$/i.test(answer);
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}
