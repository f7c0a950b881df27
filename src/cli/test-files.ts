import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wrongFlag } from './test-mistakes.js';

/** Makes the folder of a file that will be written, or says now why it could not be. */
export async function prepareFile(file: string, flag: string): Promise<void> {
  const folder = dirname(file);
  const found = await statOf(file);
  if (found?.isDirectory()) throw wrongFlag(flag, `${file} is a folder`);
  try {
    if (found === undefined) await mkdir(folder, { recursive: true });
    await access(found === undefined || found.isFile() ? folder : file, constants.W_OK);
    if (found?.isFile()) await access(file, constants.W_OK);
  } catch (cause) {
    throw wrongFlag(flag, `${file} cannot be written: ${reasonOf(cause)}`);
  }
}

/** The same of a suite, which is written over another only where that is asked for. */
export async function prepareSuiteFile(file: string, flag: string, force = false): Promise<void> {
  refuseJson(file, flag);
  await prepareFile(file, flag);
  if (force || (await statOf(file))?.isFile() !== true) return;
  throw wrongFlag(flag, `${file} is there already; choose another name, or write over it with --force`);
}

export function refuseJson(file: string, flag: string): void {
  if (/\.jsonc?$/i.test(file)) throw wrongFlag(flag, `a suite is written as YAML, and ${file} is named as JSON`);
}

/** As it was or as it is now, never half of it; a pipe or a device is written to as it is. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const found = await statOf(file);
  if (found !== undefined && !found.isFile()) return await writeFile(file, text);
  const place = await realpath(file).catch(() => file);
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function statOf(file: string): Promise<Stats | undefined> {
  return await stat(file).catch(() => undefined);
}
