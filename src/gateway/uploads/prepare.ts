import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CallerError } from '../../errors.js';
import { readUploadChoices, type UploadChoices } from './choices.js';
import { show } from './entry-names.js';
import type { Received } from './receive.js';
import { fileNameOf, kindOf, type UploadKind } from './recognise.js';
import { type UnpackLimits, unpackArchive } from './unpack.js';

/** What was uploaded, as files in a folder of their own. */
export interface Prepared {
  readonly folder: string;
  readonly kind: UploadKind;
  readonly file: string;
  readonly files: number;
  readonly bytes: number;
  readonly sha256: string;
}

export async function prepareFiles(
  received: Received,
  file: string,
  workplace: string,
  limits: UnpackLimits,
): Promise<Prepared> {
  const content = await readFile(received.path);
  const kind = kindOf(content, file);
  const folder = join(workplace, 'files');
  await mkdir(folder, { mode: 0o700 });
  const { sha256 } = received;
  const unpacked =
    kind === 'archive'
      ? await unpackArchive(content, folder, limits)
      : await rename(received.path, join(folder, file)).then(() => ({ files: 1, bytes: content.length }));
  await refuseLargeScripts(folder);
  return { folder, kind, file, sha256, ...unpacked };
}

/** Reading a script takes a thousand times its size in memory at the worst. */
const maxScriptBytes = 1024 * 1024;

async function refuseLargeScripts(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.pyw?$/i.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await stat(path)).size <= maxScriptBytes) continue;
    const name = show(relative(folder, path));
    throw new CallerError('TOO_LARGE', `${name} is larger than ${maxScriptBytes} bytes; put data into other files`);
  }
}

/** What was said with the file, and what the file is called. */
export function readChoices(received: Received, knownId?: string): UploadChoices & { readonly file: string } {
  const choices = readUploadChoices(received.fields);
  const id = choices.id ?? knownId;
  const given = choices.filename ?? received.filename ?? (id === undefined ? undefined : nameByType(received, id));
  if (given !== undefined) return { ...choices, file: fileNameOf(given) };
  throw new CallerError('INVALID_REQUEST', 'The upload has no name: say one with ?filename=script.py');
}

function nameByType({ contentType }: Received, id: string): string | undefined {
  if (contentType.includes('python')) return `${id}.py`;
  return contentType.includes('zip') ? `${id}.zip` : undefined;
}
