import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallerError } from '../errors.js';
import { readManifest } from '../manifest/read-write.js';

/** A manifest may be written over another one, and over nothing else. */
export async function refuseOtherFile(file: string): Promise<void> {
  const path = resolve(file);
  if (!/\.json$/i.test(path)) {
    const message = `A manifest is a .json file, and ${file} is not named so`;
    throw new CallerError('INVALID_MANIFEST', message, { file: path });
  }
  if (!existsSync(path)) return;
  await readManifest(path).catch((cause: unknown) => {
    const message = `${file} is there already and is no manifest, so it is not written over; choose another name, or remove it`;
    throw new CallerError('INVALID_MANIFEST', message, { file: path }, { cause });
  });
}
