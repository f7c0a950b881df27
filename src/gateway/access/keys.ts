import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { CallerError } from '../../errors.js';
import { type Principal, type Scope, scopes, withImplied } from './principal.js';

const quotasSchema = z
  .strictObject({
    maxServices: z.int().nonnegative().optional().describe('Services that may be uploaded with this key.'),
    maxDiskBytes: z.int().nonnegative().optional().describe('Size of all that was uploaded with this key.'),
    maxRunning: z.int().positive().optional().describe('Calls that may run or wait at once.'),
    requestsPerSecond: z.number().min(0.1).optional().describe('Requests per second, on average over ten.'),
    priority: z.int().optional().describe('Calls of a higher priority are taken from the queue first.'),
  })
  .readonly();

/** A key as a config file keeps it: what is kept proves a key, and gives none away. */
export const keyEntrySchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9]{1,32}$/, 'expected 1 to 32 letters and digits')
      .describe('The part of the key that is no secret.'),
    name: z.string().min(1).max(100).describe('Who has it, for logs and pages.'),
    hash: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and the hash of the whole key, in 64 lower-case hex digits')
      .describe('sha256: and the SHA-256 of the whole key.'),
    scopes: z.array(z.enum(scopes)).min(1).default(['call']).describe('call, upload, admin.'),
    services: z
      .array(z.string().min(1).max(256))
      .min(1)
      .optional()
      .describe('Services that may be seen and called, with * for any characters. Not given: all.'),
    quotas: quotasSchema.optional().describe('What differs for this key from the settings.'),
    createdAt: z.string().max(40).optional().describe('When it was made.'),
  })
  .refine(({ scopes: given, services }) => services === undefined || !given.includes('admin'), {
    path: ['services'],
    message: 'a key with the scope admin sees all services: leave one of the two out',
  })
  .readonly();

export type KeyEntry = z.output<typeof keyEntrySchema>;

/** All keys of a config file. */
export const keyEntriesSchema = z
  .array(keyEntrySchema)
  .refine((entries) => new Set(entries.map(({ id }) => id)).size === entries.length, 'two keys have the same id')
  .readonly();

export interface NewKey {
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly services?: readonly string[];
  readonly quotas?: KeyEntry['quotas'];
}

/** The key is shown once, to whoever shall have it; the entry is what is kept. */
export function createKey({ name, scopes: given = ['call'], services, quotas }: NewKey): {
  readonly key: string;
  readonly entry: KeyEntry;
} {
  const id = randomBytes(8).toString('hex');
  const key = `${keyMark}${id}_${randomBytes(secretBytes).toString('base64url')}`;
  const entry = keyEntrySchema.safeParse({
    id,
    name,
    hash: `sha256:${hashOf(key).toString('hex')}`,
    scopes: [...given],
    ...(services && { services: [...services] }),
    ...(quotas && { quotas }),
    createdAt: new Date().toISOString(),
  });
  if (entry.success) return { key, entry: entry.data };
  const [issue] = entry.error.issues;
  throw new CallerError('INVALID_SETTING', `A key cannot have this ${issue?.path.join('.')}: ${issue?.message}`);
}

/** Tokens that begin so are keys of ours, and never taken for anything else. */
export const keyMark = 'mcpx_';

export interface Keyring {
  /** Undefined for whatever is no key that is known. */
  find(key: string): Principal | undefined;
}

/** Finds a key by its id and compares it in constant time; an unknown id takes as long as a wrong secret. */
export function createKeyring(given: readonly KeyEntry[]): Keyring {
  const known = new Map(
    given.map((entry) => [entry.id, { hash: Buffer.from(entry.hash.slice(7), 'hex'), principal: principalOf(entry) }]),
  );
  return {
    find(key) {
      const id = keyForm.exec(key)?.[1];
      if (id === undefined) return undefined;
      const entry = known.get(id);
      const isSame = timingSafeEqual(hashOf(key), entry?.hash ?? nobodysHash);
      return isSame ? entry?.principal : undefined;
    },
  };
}

const secretBytes = 32;
const keyForm = /^mcpx_([A-Za-z0-9]{1,32})_[\w-]{43}$/;
const nobodysHash = Buffer.alloc(32);

/** One fast round is enough: the secret has 256 random bits, so there is nothing to try out. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

const entries = new WeakMap<Principal, KeyEntry>();

/** The entry of the key that proved who it is; nothing for those that have no key. */
export function entryOf(principal: Principal): KeyEntry | undefined {
  return entries.get(principal);
}

function principalOf(entry: KeyEntry): Principal {
  const { id, name, scopes: given, services, quotas } = entry;
  const principal = {
    id: `key:${id}`,
    name,
    scopes: withImplied(given),
    ...(services && { services }),
    ...(quotas && { quotas }),
  };
  entries.set(principal, entry);
  return principal;
}
