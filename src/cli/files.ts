import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { numbered } from '../engine/files.js';
import type { ReturnedFile } from '../engine/work.js';
import { CallerError } from '../errors.js';
import type { JsonObject } from '../toolbox.js';
import type { Terminal } from './terminal.js';

/** Makes the folder for the files of a call, or says before the call why they could not be kept. */
export async function prepareFolder(folder: string, flag = '--save'): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (cause) {
    const reason = codeOf(cause) === 'EEXIST' ? 'is not a folder' : `cannot be written to: ${reasonOf(cause)}`;
    throw new CallerError('INVALID_ARGUMENTS', `${flag}: ${folder} ${reason}`, { argument: flag }, { cause });
  }
}

/** Writes the files to the folder and says where each is now; false when one could not be written. */
export async function saveFiles(files: readonly ReturnedFile[], folder: string, terminal: Terminal): Promise<boolean> {
  let saved = true;
  for (const file of files) {
    try {
      tell(file, `saved as ${await save(file, folder)}`, terminal);
    } catch (error) {
      tell(file, `could not be saved: ${reasonOf(error)}`, terminal);
      saved = false;
    }
  }
  return saved;
}

export function mentionFiles(files: readonly ReturnedFile[], terminal: Terminal, flag = '--save'): void {
  for (const file of files) tell(file, `${flag} DIR keeps it`, terminal);
}

export function fileAsJson({ name, mimeType, data }: ReturnedFile): JsonObject {
  return { name, mimeType, size: data.length, data: data.toString('base64') };
}

function tell({ name, mimeType, data }: ReturnedFile, outcome: string, terminal: Terminal): void {
  terminal.note(`file ${name} (${mimeType}, ${data.length.toLocaleString('en')} bytes): ${outcome}\n`);
}

/** What is there already is never written over: the new file gets the next name that is free. */
async function save({ name, data }: ReturnedFile, folder: string): Promise<string> {
  const wanted = join(folder, name);
  await mkdir(dirname(wanted), { recursive: true });
  if (await writeNew(wanted, data)) return wanted;
  for (let number = 2; ; number++) {
    const path = join(folder, numbered(name, number));
    if (await writeNew(path, data)) return `${path}, because ${wanted} is there already`;
  }
}

async function writeNew(path: string, data: Buffer): Promise<boolean> {
  try {
    await writeFile(path, data, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
