import { CallerError, HostError } from '../../errors.js';
import type { Principal } from '../access/principal.js';
import type { GatewayParts } from '../parts.js';
import type { Change } from './choices.js';
import { type Explore, type FoundTools, findServable, type ToolChoice } from './exploration.js';
import { ownRecord } from './ownership.js';
import { type Prepared, prepareFiles, readChoices } from './prepare.js';
import { refuseBeyondQuota } from './quota.js';
import type { Received } from './receive.js';
import { idFrom } from './recognise.js';
import { definitionOf, targetOf, type UploadRecord } from './record.js';
import type { UploadStore, Workplace } from './store.js';
import { createSlots, createTurns } from './turns.js';

export interface ChangesOptions {
  readonly store: UploadStore;
  readonly parts: GatewayParts;
  readonly explore: Explore;
  /** Throws where the principal may not have a service of that id. */
  readonly refuseId: (principal: Principal, id: string) => void;
}

export interface Outcome {
  readonly record: UploadRecord;
  readonly found: FoundTools;
}

export interface DryRun {
  readonly id: string;
  readonly prepared: Prepared;
  readonly found: FoundTools;
}

/** What can be done to uploaded services. Of one service one thing at a time, and of one client one upload at a time. */
export interface Changes {
  upload(principal: Principal, received: Received, workplace: Workplace): Promise<Outcome | DryRun>;
  replace(principal: Principal, id: string, received: Received, workplace: Workplace): Promise<Outcome | DryRun>;
  choose(principal: Principal, id: string, change: Change): Promise<Outcome>;
  remove(principal: Principal, id: string): Promise<void>;
  /** Does something while nothing changes the service. */
  whileUnchanged<T>(id: string, work: () => Promise<T>): Promise<T>;
  settled(): Promise<void>;
}

/** Archives and scripts that are read at once, of all clients together; nobody waits for anything else meanwhile. */
const readAtOnce = 4;

export function createChanges({ store, parts, explore, refuseId }: ChangesOptions): Changes {
  const { services } = parts;
  const byOwner = createTurns();
  const byId = createTurns();
  const slots = createSlots(readAtOnce);

  return {
    upload: (principal, received, workplace) =>
      byOwner.take(principal.id, async () => {
        const { file, dryRun, ...choices } = readChoices(received);
        const id = choices.id ?? idFrom(file);
        refuseId(principal, id);
        refuseTaken(id);
        const prepared = await prepare(received, file, workplace);
        refuseQuota(principal, prepared.bytes);
        if (dryRun) return { id, prepared, found: await examine(prepared, prepared.folder, choices) };
        return await byId.take(keyOf(id), () => addNew(principal, id, prepared, choices));
      }),
    replace: (principal, id, received, workplace) =>
      byOwner.take(own(principal, id).owner, async () => {
        const { file, dryRun, ...choices } = readChoices(received, id);
        refuseOtherId(id, choices.id);
        const prepared = await prepare(received, file, workplace);
        const old = own(principal, id);
        const chosen = { ...old, ...choices };
        if (dryRun) return { id, prepared, found: await examine(prepared, prepared.folder, chosen) };
        return await byId.take(keyOf(id), () => replaceFiles(principal, id, prepared, choices));
      }),
    choose: (principal, id, change) =>
      byOwner.take(own(principal, id).owner, () =>
        byId.take(keyOf(id), async () => {
          const old = own(principal, id);
          const record = { ...old, ...withoutNulls(change), updatedAt: now() };
          const found = await examine(record, store.folderOf(id, record.version), record);
          await serve(record, () => removeUnused(old));
          await saveOrServe(record, old);
          return { record, found };
        }),
      ),
    remove: (principal, id) =>
      byId.take(keyOf(id), async () => {
        own(principal, id);
        if (services.has(id)) await services.remove(id);
        await store.remove(id);
      }),
    whileUnchanged: (id, work) => byId.take(keyOf(id), () => slots.use(work)),
    async settled() {
      await byOwner.settled();
      await byId.settled();
    },
  };

  async function addNew(principal: Principal, id: string, prepared: Prepared, choices: Said): Promise<Outcome> {
    refuseTaken(id);
    const { version, folder } = await store.place(id, prepared.folder);
    const add = async () => {
      const found = await examine(prepared, folder, choices);
      const at = now();
      const said = saidIn(choices);
      const record = { id, owner: principal.id, version, ...factsOf(prepared), ...said, createdAt: at, updatedAt: at };
      refuseWhileClosing();
      await services.add(definitionOf(record, folder));
      await orUndo(
        () => store.save(record),
        () => services.remove(id),
      );
      return { record, found };
    };
    return orUndo(add, () => store.removeVersion(id, version));
  }

  async function replaceFiles(principal: Principal, id: string, prepared: Prepared, choices: Said): Promise<Outcome> {
    const old = own(principal, id);
    if (old.owner === principal.id) refuseQuota(principal, prepared.bytes, old);
    const { version, folder } = await store.place(id, prepared.folder);
    const record = { ...old, ...factsOf(prepared), ...saidIn(choices), version, updatedAt: now() };
    const open = async () => {
      const found = await examine(prepared, folder, record).catch(explainEarlierChoice(choices));
      await serve(record, () => removeUnused(old));
      return found;
    };
    const found = await orUndo(open, () => store.removeVersion(id, version));
    await saveOrServe(record, old);
    return { record, found };
  }

  /** What is served and what is kept are the same again, whatever happens. */
  function saveOrServe(record: UploadRecord, old: UploadRecord): Promise<void> {
    return orUndo(
      () => store.save(record),
      () => serve(old, () => removeUnused(record)),
    );
  }

  async function serve(record: UploadRecord, onRetired: () => void): Promise<void> {
    refuseWhileClosing();
    const definition = definitionOf(record, store.folderOf(record.id, record.version));
    if (services.has(record.id)) await services.replace(definition, onRetired);
    else await services.add(definition);
  }

  /** Files that no call needs any more go when the last call on them is over. */
  function removeUnused({ id, version }: UploadRecord): void {
    byId
      .take(keyOf(id), async () => {
        if (store.get(id)?.version !== version) await store.removeVersion(id, version);
      })
      .catch((error: unknown) => parts.log.warn('files of an old version are left to the next start', { id, error }));
  }

  function examine(what: Pick<UploadRecord, 'kind' | 'file'>, folder: string, choice: ToolChoice): Promise<FoundTools> {
    const { only, exclude } = choice;
    return slots.use(() => findServable(explore, targetOf(what, folder), folder, { only, exclude }));
  }

  function prepare(received: Received, file: string, { folder }: Workplace): Promise<Prepared> {
    return slots.use(() => prepareFiles(received, file, folder, parts.settings));
  }

  function own(principal: Principal, id: string): UploadRecord {
    return ownRecord(services, store, principal, id);
  }

  function refuseTaken(id: string): void {
    if (!store.isTaken(id) && !services.has(id)) return;
    throw new CallerError(
      'CONFLICT',
      `The id ${id} is taken; choose another with id=, or replace the service with PUT if it is yours`,
    );
  }

  function refuseQuota(principal: Principal, bytes: number, replaced?: UploadRecord): void {
    const used = store.usageOf(principal.id);
    const services = replaced ? used.services : used.services + 1;
    refuseBeyondQuota(principal, parts.settings, { services, bytes: used.bytes - (replaced?.bytes ?? 0) + bytes });
  }

  function refuseWhileClosing(): void {
    if (parts.closing.aborted) throw new HostError('UNAVAILABLE', 'The gateway is shutting down and takes no uploads');
  }
}

type Said = Pick<UploadRecord, 'name' | 'description' | 'only' | 'exclude'>;

function saidIn({ name, description, only, exclude }: Said): Said {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(only !== undefined && { only }),
    ...(exclude !== undefined && { exclude }),
  };
}

function factsOf({
  kind,
  file,
  sha256,
  bytes,
  files,
}: Prepared): Pick<UploadRecord, 'kind' | 'file' | 'sha256' | 'bytes' | 'files'> {
  return { kind, file, sha256, bytes, files };
}

/** null takes back what was said earlier. */
function withoutNulls(change: Change): Said {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value ?? undefined]));
}

function explainEarlierChoice(choices: ToolChoice): (error: unknown) => never {
  return (error) => {
    const isOfNow = choices.only !== undefined || choices.exclude !== undefined;
    if (isOfNow || !(error instanceof CallerError) || error.code !== 'INVALID_REQUEST') throw error;
    const message = `${error.message} (chosen for the version before; send only= or exclude= with this one)`;
    throw new CallerError('INVALID_REQUEST', message, {}, { cause: error });
  };
}

async function orUndo<T>(work: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await undo();
    throw error;
  }
}

function refuseOtherId(id: string, said: string | undefined): void {
  if (said === undefined || said === id) return;
  throw new CallerError('INVALID_REQUEST', `The id ${said} is not that of the address; a service keeps its id`);
}

function keyOf(id: string): string {
  return id.toLowerCase();
}

function now(): string {
  return new Date().toISOString();
}
