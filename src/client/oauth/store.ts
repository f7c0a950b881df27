import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { underLock } from '../../lock.js';
import { makePrivateFolder } from './folder.js';
import { type KeptLogin, keptLoginSchema } from './kept-login.js';

/** Logins as files, one for each server, so that several processes never write over each other's. */
export interface LoginStore {
  readonly folder: string;
  /** None where there is none, or none that can be read; why is noted. */
  read(key: string): Promise<KeptLogin | undefined>;
  list(): Promise<readonly KeptLogin[]>;
  /** Nobody else changes the login meanwhile. What is given back is kept; nothing removes it. */
  change(
    key: string,
    work: (kept: KeptLogin | undefined) => Promise<KeptLogin | undefined>,
  ): Promise<KeptLogin | undefined>;
}

type Found =
  | { readonly kind: 'login'; readonly login: KeptLogin }
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged' };

const maxFileBytes = 256 * 1024;
const patienceMs = 30_000;
const pollMs = 25;
/** A draft that is older was left behind. */
const staleMs = 60_000;
const fileName = /^([0-9a-f]{32})\.json$/;

export function createLoginStore(folder: string, note: (message: string) => void): LoginStore {
  const noted = new Set<string>();
  return {
    folder,
    async read(key) {
      const file = fileOf(key);
      const found = await readOrNote(file);
      if (found.kind !== 'damaged') return found.kind === 'login' ? found.login : undefined;
      await locked(key, () => setAside(file)).catch((error) => noteOnce(unreadable(file, error)));
      return undefined;
    },
    async list() {
      const names = await readdir(folder).catch(() => []);
      const keys = names.map((name) => fileName.exec(name)?.[1]).filter((key) => key !== undefined);
      const logins = await Promise.all(keys.sort().map((key) => this.read(key)));
      return logins.filter((login) => login !== undefined);
    },
    async change(key, work) {
      await makePrivateFolder(folder, note);
      return locked(key, async () => {
        const file = fileOf(key);
        const found = await readOrNote(file);
        if (found.kind === 'damaged') await setAside(file);
        const kept = found.kind === 'login' ? found.login : undefined;
        const changed = await work(kept);
        if (changed === undefined) await rm(file, { force: true });
        else if (changed !== kept) await write(file, changed);
        return changed;
      });
    },
  };

  function fileOf(key: string): string {
    return join(folder, `${key}.json`);
  }

  function locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    return underLock(join(folder, `${key}.lock`), work, { patienceMs, pollMs });
  }

  async function readOrNote(file: string): Promise<Found> {
    try {
      return await readFound(file, note);
    } catch (error) {
      noteOnce(unreadable(file, error));
      return { kind: 'none' };
    }
  }

  /** Only what is still damaged: another process may have written it anew. */
  async function setAside(file: string): Promise<void> {
    if ((await readFound(file, note)).kind !== 'damaged') return;
    const aside = `${file}.damaged-${Date.now()}`;
    await rename(file, aside);
    note(`A kept login was damaged and is not used; it was moved to ${aside}`);
  }

  function noteOnce(message: string): void {
    if (noted.has(message)) return;
    noted.add(message);
    note(message);
  }
}

async function readFound(file: string, note: (message: string) => void): Promise<Found> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  try {
    const { size, mode } = await handle.stat();
    if (process.getuid !== undefined && (mode & 0o077) !== 0) {
      await handle.chmod(0o600);
      note(`A kept login was open to other users, and is now for you alone: ${file}`);
    }
    if (size > maxFileBytes) return { kind: 'damaged' };
    return loginIn(await handle.readFile('utf8'));
  } finally {
    await handle.close();
  }
}

function loginIn(text: string): Found {
  try {
    const { data } = keptLoginSchema.safeParse(JSON.parse(text));
    return data ? { kind: 'login', login: data } : { kind: 'damaged' };
  } catch {
    return { kind: 'damaged' };
  }
}

/** Whoever reads meanwhile sees the old file or the new one, and both are for this user alone from their first byte on. */
async function write(file: string, login: KeptLogin): Promise<void> {
  await removeLeftovers(file);
  const aside = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(login, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Of processes that died while they wrote. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = join(file, '..');
  const key = basename(file, '.json');
  for (const name of await readdir(folder)) {
    if (!name.startsWith(key) || !name.endsWith('.tmp')) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleMs) await rm(join(folder, name), { force: true });
  }
}

function unreadable(file: string, error: unknown): string {
  return `A kept login cannot be used (${codeOf(error) ?? 'the reason is not known'}): ${file}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
