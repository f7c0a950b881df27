import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../log.js';

/** Somebody did, or tried, what changes the gateway for others. */
export interface AuditEntry {
  /** The principal's id and name. */
  readonly who: { readonly id: string; readonly name: string };
  /** In the form subject.verb, such as service.upload. */
  readonly action: string;
  /** What it was done to. */
  readonly subject: string;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Audit {
  /** Resolves when the entry is on the disk, and never rejects. */
  record(entry: AuditEntry): Promise<void>;
  close(): Promise<void>;
}

export interface AuditOptions {
  /** Without one, entries go to the log only. */
  readonly file?: string;
  readonly log: Log;
  /** Size at which the file is moved aside, over the one moved aside before. */
  readonly maxBytes?: number;
}

const usualMaxBytes = 64 * 1024 * 1024;
const maxWaiting = 1000;
const longestText = 512;

/** The record of uploads and of what administrators do: one line of JSON each, flushed to the disk. */
export function createAudit({ file, log, maxBytes = usualMaxBytes }: AuditOptions): Audit {
  let handle: FileHandle | undefined;
  let size = 0;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  return {
    record(entry) {
      const line = `${JSON.stringify(withBounds(entry))}\n`;
      const { who, action, subject, outcome } = entry;
      log.info('audit', { who: who.name, action, subject, outcome });
      if (file === undefined) return Promise.resolve();
      if (waiting >= maxWaiting) {
        log.error('the audit log cannot keep up: an entry is missing in it', { action, subject });
        return Promise.resolve();
      }
      waiting++;
      last = last
        .then(() => append(file, line))
        .catch((error: unknown) => log.error('the audit log cannot be written', { file, action, subject, error }))
        .finally(() => {
          waiting--;
        });
      return last;
    },
    async close() {
      await last;
      await handle?.close();
      handle = undefined;
    },
  };

  async function append(path: string, line: string): Promise<void> {
    const bytes = Buffer.byteLength(line);
    if (handle !== undefined && size + bytes > maxBytes) await moveAside(path);
    handle ??= await openFile(path);
    await handle.appendFile(line);
    await handle.datasync();
    size += bytes;
  }

  async function openFile(path: string): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true });
    const opened = await open(path, 'a', 0o600);
    size = (await opened.stat()).size;
    return opened;
  }

  async function moveAside(path: string): Promise<void> {
    await handle?.close();
    handle = undefined;
    if ((await stat(path).catch(() => undefined)) !== undefined) await rename(path, `${path}.1`);
  }
}

/** Names come from outside: an entry has a size that they do not decide. */
function withBounds({ who, action, subject, outcome, detail }: AuditEntry): object {
  return {
    time: new Date().toISOString(),
    who: { id: cut(who.id), name: cut(who.name) },
    action,
    subject: cut(subject),
    outcome,
    ...(detail && { detail: JSON.parse(JSON.stringify(detail, (_key, value) => bounded(value))) }),
  };
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  return Array.isArray(value) && value.length > 100 ? [...value.slice(0, 100), '…'] : value;
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
