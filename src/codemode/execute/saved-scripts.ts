import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { SavedScript } from '../code-execution.js';
import { makeFolder, type Workspace } from '../workspace.js';
import { plainText } from './plain-text.js';
import { summaryOf } from './script-summary.js';

/** Scripts that were kept under a name: `scripts/NAME.py`. */
export interface SavedScripts {
  /** Throws where the name cannot be one. */
  checkName(name: unknown): void;
  pathOf(name: string): string;
  /** Byte for byte. Whether there was one of that name before, which is replaced. */
  save(name: string, bytes: Buffer): Promise<{ readonly isReplaced: boolean }>;
  list(): Promise<readonly SavedScript[]>;
  /** Says which there are. */
  unknown(name: string): Promise<CallerError>;
}

/** An agent names what is saved: a link in the folder must not lead it elsewhere, nor a pipe keep it waiting. */
export const openSaved = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const nameForm = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const mostListed = 1000;
const summaryBytes = 8192;

export function createSavedScripts({ scripts }: Pick<Workspace, 'scripts'>): SavedScripts {
  const checkName = (name: unknown) => {
    if (typeof name === 'string' && nameForm.test(name)) return;
    const shown = JSON.stringify(plainText(String(name), 80));
    const message = `${shown} cannot be the name of a saved script: small letters, digits, - and _, at most 64, beginning with a letter or digit`;
    throw new CallerError('INVALID_ARGUMENTS', message, { argument: 'save' });
  };
  const pathOf = (name: string) => {
    checkName(name);
    return join(scripts, `${name}.py`);
  };

  return {
    checkName,
    pathOf,
    async save(name, bytes) {
      const path = pathOf(name);
      await makeFolder(scripts, 0o777);
      const isReplaced = (await stat(path).catch(() => undefined)) !== undefined;
      const aside = join(scripts, `.${name}-${randomUUID()}`);
      try {
        await writeFile(aside, bytes, { flag: 'wx' });
        await rename(aside, path);
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
      return { isReplaced };
    },
    async list() {
      const names = (await namesIn(scripts)).slice(0, mostListed);
      const read = await Promise.all(names.map((name) => describe(name, pathOf(name))));
      return read.filter((script) => script !== undefined);
    },
    async unknown(name) {
      const names = await namesIn(scripts);
      const close = nearest(name, names);
      const few = names.slice(0, 20).join(', ') || 'none';
      const advice = close === undefined ? `Saved are ${few}.` : `Did you mean ${close}?`;
      return new CallerError(
        'INVALID_SCRIPT',
        `No script is saved as ${JSON.stringify(plainText(name, 80))}. ${advice}`,
      );
    },
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  return files
    .filter((file) => file.endsWith('.py'))
    .map((file) => file.slice(0, -3))
    .filter((name) => nameForm.test(name))
    .sort();
}

async function describe(name: string, path: string): Promise<SavedScript | undefined> {
  const handle = await open(path, openSaved).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile()) return undefined;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(summaryBytes), 0, summaryBytes, 0);
    const summary = summaryOf(buffer.toString('utf8', 0, bytesRead));
    return { name, summary, savedAt: found.mtime.toISOString() };
  } finally {
    await handle.close();
  }
}
