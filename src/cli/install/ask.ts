import { createInterface } from 'node:readline/promises';

interface AskOptions {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
  readonly signal?: AbortSignal;
  /** What an empty answer means; yes where not given. */
  readonly unlessSaid?: boolean;
}

/** Asks the person at the terminal; the end of input means no. */
export async function confirm(question: string, options: AskOptions = {}): Promise<boolean> {
  const { input = process.stdin, output = process.stderr, signal, unlessSaid = true } = options;
  const lines = createInterface({ input, output });
  // While a line is edited, Ctrl-C is a key and no signal.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('n')));
  try {
    const answer = await Promise.race([
      lines.question(`${question} ${unlessSaid ? '[Y/n]' : '[y/N]'} `, { signal }),
      ended,
    ]);
    return answer.trim() === '' ? unlessSaid : /^\s*(y|yes)\s*$/i.test(answer);
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}
