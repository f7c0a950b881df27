import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../../errors.js';
import { type ServiceDefinition, serviceIdForm } from '../service.js';
import type { DataFolder } from './data-folder.js';
import { flushFolder, flushTree, writeDurably } from './durable-files.js';
import { definitionOf, type UploadRecord, uploadRecordSchema } from './record.js';

/** Uploaded services in the data folder. A service is there from when its record is saved until that is removed. */
export interface UploadStore {
  /** Of services that could not be read back, in sentences. */
  readonly problems: readonly string[];
  definitions(): readonly ServiceDefinition[];
  get(id: string): UploadRecord | undefined;
  /** Ids that differ only in case are one folder on some systems. */
  isTaken(id: string): boolean;
  usageOf(owner: string): Usage;
  /** A new folder for what is being made. */
  createWorkplace(): Promise<Workplace>;
  /** Moves files into the folder of the service, and gives their place. They are kept when a record names their version. */
  place(id: string, files: string): Promise<PlacedVersion>;
  folderOf(id: string, version: string): string;
  save(record: UploadRecord): Promise<void>;
  removeVersion(id: string, version: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Takes no more changes, and gives the folder back. */
  close(): Promise<void>;
}

export interface Usage {
  readonly services: number;
  readonly bytes: number;
}

export interface Workplace {
  readonly folder: string;
  remove(): Promise<void>;
}

export interface PlacedVersion {
  readonly version: string;
  readonly folder: string;
}

const recordName = 'service.json';

export async function openUploadStore(data: DataFolder): Promise<UploadStore> {
  const records = new Map<string, UploadRecord>();
  const takenIds = new Set<string>();
  const problems = [...data.problems];
  let isClosed = false;
  for (const id of await readdir(data.services)) await readBack(id);

  return {
    problems,
    definitions: () => [...records.values()].map((record) => definitionOf(record, folderOf(record.id, record.version))),
    get: (id) => records.get(id),
    isTaken: (id) => takenIds.has(id.toLowerCase()),
    usageOf(owner) {
      const owned = [...records.values()].filter((record) => record.owner === owner);
      return { services: owned.length, bytes: owned.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    async createWorkplace() {
      refuseAfterClose();
      const folder = join(data.unfinished, randomUUID());
      await mkdir(folder, { mode: 0o700 });
      return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
    },
    async place(id, files) {
      refuseAfterClose();
      const version = randomBytes(8).toString('hex');
      const folder = folderOf(id, version);
      await flushTree(files);
      await mkdir(join(data.services, id), { recursive: true, mode: 0o700 });
      await rename(files, folder);
      await flushFolder(join(data.services, id));
      await flushFolder(data.services);
      return { version, folder };
    },
    folderOf,
    async save(record) {
      refuseAfterClose();
      const text = `${JSON.stringify(uploadRecordSchema.parse(record), undefined, 2)}\n`;
      await writeDurably(join(data.services, record.id, recordName), text, join(data.unfinished, randomUUID()));
      keep(record);
    },
    async removeVersion(id, version) {
      refuseAfterClose();
      await discard(folderOf(id, version));
      // Refused where anything is left in it.
      await rmdir(join(data.services, id)).catch(() => undefined);
    },
    async remove(id) {
      refuseAfterClose();
      const record = records.get(id);
      await rm(join(data.services, id, recordName), { force: true });
      await flushFolder(join(data.services, id));
      records.delete(id);
      takenIds.delete(id.toLowerCase());
      if (record) await discard(folderOf(id, record.version));
      await rmdir(join(data.services, id)).catch(() => undefined);
    },
    async close() {
      isClosed = true;
      await data.close();
    },
  };

  function folderOf(id: string, version: string): string {
    return join(data.services, id, version);
  }

  function keep(record: UploadRecord): void {
    records.set(record.id, record);
    takenIds.add(record.id.toLowerCase());
  }

  function refuseAfterClose(): void {
    if (isClosed) throw new HostError('UNAVAILABLE', 'The gateway is shutting down');
    if (data.lost.aborted) throw new HostError('UNAVAILABLE', 'Another gateway has taken over the data folder');
  }

  /** At once out of sight; a kill while the files are being removed leaves them to the next start. */
  async function discard(folder: string): Promise<void> {
    const aside = join(data.unfinished, randomUUID());
    await rename(folder, aside).catch(unlessMissing);
    await rm(aside, { recursive: true, force: true });
  }

  async function readBack(id: string): Promise<void> {
    const folder = join(data.services, id);
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!serviceIdForm.test(id) || !isFolder) {
      problems.push(`${folder} is no folder of a service and is left alone`);
      return;
    }
    try {
      const record = await readRecord(folder, id);
      if (record === undefined) return await discard(folder);
      keep(record);
      await removeOthers(folder, record);
    } catch (error) {
      takenIds.add(id.toLowerCase());
      problems.push(`The uploaded service ${id} cannot be read back: ${reasonOf(error)}; its files are left alone`);
    }
  }

  /** What a replacement left that was not finished, or not cleaned up after. */
  async function removeOthers(folder: string, { version }: UploadRecord): Promise<void> {
    const others = (await readdir(folder)).filter((name) => name !== recordName && name !== version);
    for (const name of others) await discard(join(folder, name));
  }
}

/** undefined where an upload was not finished. */
async function readRecord(folder: string, id: string): Promise<UploadRecord | undefined> {
  const text = await readFile(join(folder, recordName), 'utf8').catch(unlessMissing);
  if (text === undefined) return undefined;
  const parsed = uploadRecordSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${recordName}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (parsed.data.id !== id) throw new Error(`${recordName} is that of the service ${parsed.data.id}`);
  if (!(await stat(join(folder, parsed.data.version))).isDirectory()) throw new Error('its files are missing');
  return parsed.data;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
