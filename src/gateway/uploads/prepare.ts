import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CallerError } from '../../errors.js';
import { readUploadChoices, type UploadChoices } from './choices.js';
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
  if (kind === 'archive') return { folder, kind, file, sha256, ...(await unpackArchive(content, folder, limits)) };
  await rename(received.path, join(folder, file));
  return { folder, kind, file, sha256, files: 1, bytes: content.length };
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
