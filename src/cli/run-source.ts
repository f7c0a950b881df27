import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { CodeExecution } from '../codemode/code-execution.js';
import { workspaceAt } from '../codemode/workspace.js';
import { CallerError, LimitError } from '../errors.js';
import { nearest } from '../nearest.js';
import { harmless } from './harmless.js';
import type { Terminal } from './terminal.js';

export type ScriptSource = { readonly script: string } | { readonly path: string } | { readonly saved: string };

const largestInput = 16 * 1024 * 1024;

/** What a person means by the word: standard input, a file, or a script that was saved. */
export async function sourceOf(word: string, code: CodeExecution, terminal: Terminal): Promise<ScriptSource> {
  if (word === '-') return { script: await readText(terminal.input?.() ?? process.stdin, terminal.interrupt) };
  if (statSync(word, { throwIfNoEntry: false })?.isFile()) return { path: resolve(word) };
  const saved = (await code.savedScripts()).map(({ name }) => name);
  if (saved.includes(word)) return { saved: word };
  if (/\.py$|[\\/]/.test(word)) return { path: resolve(word) };
  throw new CallerError(
    'INVALID_SCRIPT',
    `There is no file ${harmless(word)} here, and no script of that name was saved${hint(word, saved)}`,
  );
}

/** The file whose changes are waited for. */
export function watchedFile(source: ScriptSource, code: CodeExecution): string {
  if ('path' in source) return source.path;
  if ('saved' in source) return join(workspaceAt(code.workspace).scripts, `${source.saved}.py`);
  throw new CallerError('INVALID_ARGUMENTS', '--watch needs a file: standard input is read once', {
    argument: '--watch',
  });
}

async function readText(input: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const leave = () => input.destroy();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  try {
    for await (const chunk of input) {
      chunks.push(Buffer.from(chunk));
      size += chunks.at(-1)?.length ?? 0;
      if (size > largestInput) throw unreadable(`more than ${largestInput.toLocaleString('en')} bytes`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
  if (signal.aborted) throw new LimitError('CANCELLED', 'Interrupted while the script was read');
  return decoded(Buffer.concat(chunks));
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable('no text in UTF-8');
  }
}

function unreadable(what: string): CallerError {
  return new CallerError('INVALID_SCRIPT', `What came in on standard input is ${what}`);
}

function hint(word: string, saved: readonly string[]): string {
  const near = nearest(word, saved);
  if (near !== undefined) return `; did you mean ${near}?`;
  return saved.length === 0 ? '' : `; there are ${saved.slice(0, 10).join(', ')}`;
}
