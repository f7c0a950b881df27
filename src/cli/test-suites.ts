import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CallerError, ExecutionError } from '../errors.js';
import type { Suite } from '../harness/suite.js';
import { harmless, harmlessLines } from './harmless.js';
import { paint, type Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import { hintOf } from './test-mistakes.js';

const isPassedOver = /^(?:\..*|node_modules|__pycache__|__snapshots__)$/;
const mostFolders = 5000;
const suiteName = /^(?:.+\.)?suite\.(?:ya?ml|json)$/i;

export function isSuiteName(name: string): boolean {
  return suiteName.test(name);
}

/** The suite files that are meant, each once: a folder stands for those in it and below, and nothing for the current one. */
export async function findSuites(words: readonly string[]): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const word of words.length === 0 ? ['.'] : words) {
    for (const file of await suitesAt(word)) {
      if (!found.has(resolve(file))) found.set(resolve(file), file);
    }
  }
  return [...found.values()];
}

/** Folders in which a suite that is new would be meant too. */
export async function foldersOf(words: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    (words.length === 0 ? ['.'] : words).map(async (word) => {
      const isFolder = (await stat(word).catch(() => undefined))?.isDirectory() === true;
      return isFolder ? await foldersFrom(resolve(word)) : [];
    }),
  );
  return [...new Set(found.flat())];
}

export interface ReadSuites {
  readonly suites: readonly Suite[];
  readonly mistakes: readonly unknown[];
}

/** Reads all of them, so that everything that is wrong is told at once. */
export async function readSuites(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ReadSuites> {
  const { readSuite } = await import('../harness/suite/read.js');
  const read = await Promise.allSettled(files.map((file) => readSuite(file, { environment, signal })));
  return {
    suites: read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    mistakes: read.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])),
  };
}

/** Tells all mistakes, with the advice of the last; gives the exit code of the first. */
export function tellMistakes(mistakes: readonly unknown[], terminal: Terminal): number {
  const exitCodes = mistakes.map((mistake, index) => {
    const isLast = index === mistakes.length - 1;
    if (isLast || !(mistake instanceof ExecutionError)) return reportTestFailure(mistake, terminal);
    terminal.note(harmlessLines(`${paint(terminal, 'red', mistake.code)}: ${mistake.message}\n`));
    return mistake.exitCode;
  });
  return exitCodes[0] ?? 0;
}

async function suitesAt(word: string): Promise<readonly string[]> {
  const found = await stat(word).catch((error: unknown) => ({ error }));
  if ('error' in found) throw await unreadable(word, found.error);
  if (!found.isDirectory()) return [word];
  const files: string[] = [];
  for (const folder of await foldersFrom(word)) {
    const names = (await readdir(folder)).filter(isSuiteName).sort();
    files.push(...names.map((name) => join(folder, name)));
  }
  if (files.length === 0) throw noSuiteIn(word);
  return files;
}

/** A folder and those below it, each before its own; what others put there, or hide, is passed over. */
async function foldersFrom(first: string): Promise<readonly string[]> {
  const found: string[] = [];
  await goInto(first, await readdir(first, { withFileTypes: true }));
  return found;

  async function goInto(folder: string, entries: readonly Dirent[]): Promise<void> {
    found.push(folder);
    const names = entries
      .filter((entry) => entry.isDirectory() && !isPassedOver.test(entry.name))
      .map(({ name }) => name);
    for (const name of names.sort()) {
      if (found.length >= mostFolders) return;
      const below = join(folder, name);
      const inside = await readdir(below, { withFileTypes: true }).catch(() => undefined);
      if (inside) await goInto(below, inside);
    }
  }
}

async function unreadable(word: string, error: unknown): Promise<CallerError> {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const reason = error instanceof Error ? error.message : String(error);
  if (!isMissing) return invalid(word, `${harmless(word)} cannot be read: ${reason}`);
  const beside = (await readdir(dirname(word)).catch(() => [])).filter((name) => /\.(?:ya?ml|json)$/i.test(name));
  return invalid(word, `There is no suite ${harmless(word)}${harmless(hintOf(basename(word), beside.sort()))}`);
}

function noSuiteIn(folder: string): CallerError {
  const where = folder === '.' ? 'The current folder' : harmless(folder);
  return invalid(
    folder,
    `${where} has no suite, nor have folders below: no file is named suite.yaml or NAME.suite.yaml (.yml, .json). Name one, or write a first one: mcp-exec test init --out suite.yaml -- COMMAND`,
  );
}

function invalid(file: string, message: string): CallerError {
  return new CallerError('INVALID_SUITE', message, { file });
}
