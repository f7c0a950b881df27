import type { AdjustableLog } from '../log.js';
import type { CodeVerbSettings } from './code-flags.js';
import { harmless } from './harmless.js';
import type { Live } from './live.js';
import { createLogFor } from './log-file.js';
import type { Terminal } from './terminal.js';

/**
 * The log as it was asked for. Where none was, a person sees its errors and the sentences in it, because what else goes
 * wrong is told by the verb; a log file has everything.
 */
export function createCodeLog(
  { engine, isLogAsked }: Pick<CodeVerbSettings, 'engine' | 'isLogAsked'>,
  live: Pick<Live, 'end'>,
  terminal: Terminal,
): AdjustableLog {
  const show = (text: string) => {
    live.end();
    terminal.note(text);
  };
  return createLogFor(engine, (line) => {
    const { level, sentence } = readLine(line);
    if (isLogAsked || level === 'error') show(line);
    else if (sentence !== undefined) show(`${harmless(sentence)}\n`);
  });
}

/** A warning that has no fields of its own is a sentence. */
function readLine(line: string): { readonly level: unknown; readonly sentence?: string } {
  const { time: _time, level, layer: _layer, event, ...fields }: Record<string, unknown> = JSON.parse(line);
  const isSentence = level === 'warn' && typeof event === 'string' && Object.keys(fields).length === 0;
  return { level, ...(isSentence && { sentence: event }) };
}
