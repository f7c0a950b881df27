import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Compiled scripts in a folder of the user's cache, each under the hash of all that it was made from. */
export interface CompiledCache {
  load(key: string): Promise<Buffer | undefined>;
  store(key: string, code: Buffer): Promise<void>;
}

const maxFiles = 2000;
const digestBytes = 32;

/** Without a folder, nothing is kept. */
export function createCompiledCache(cacheFolder: string | undefined): CompiledCache {
  if (cacheFolder === undefined) return { load: async () => undefined, store: async () => {} };
  const folder = join(cacheFolder, 'compiled');
  let stored = 0;
  return {
    async load(key) {
      const file = await readFile(join(folder, key)).catch(() => undefined);
      const code = file?.subarray(digestBytes);
      return file && code && digest(code).equals(file.subarray(0, digestBytes)) ? code : undefined;
    },
    /** A cache that cannot be written costs time later, and nothing else. */
    async store(key, code) {
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(temporary, Buffer.concat([digest(code), code]), { mode: 0o600 });
        await rename(temporary, join(folder, key));
        if (stored++ % 100 === 0) await prune(folder);
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}

export function compiledKey(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('hex');
}

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= maxFiles) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, used: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  aged.sort((a, b) => a.used - b.used);
  await Promise.all(aged.slice(0, names.length - maxFiles).map(({ name }) => rm(join(folder, name), { force: true })));
}

function digest(code: Buffer): Buffer {
  return createHash('sha256').update(code).digest();
}
