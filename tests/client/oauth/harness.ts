import { join } from 'node:path';
import { createServerToolbox, type ServerToolbox, type ServerToolboxOptions } from '../../../src/client/client.js';
import { type LoginRequest, logIn } from '../../../src/client/oauth/login.js';
import { createLogins, type Logins } from '../../../src/client/oauth/logins.js';
import { createFolder } from '../../interpreter/scripts.js';
import { keep } from '../harness.js';
import type { Authority } from './authority.js';

export interface Place {
  readonly folder: string;
  readonly logins: Logins;
  readonly notes: string[];
}

export async function createPlace(folder?: string): Promise<Place> {
  const own = folder ?? join(await createFolder(), 'logins');
  const notes: string[] = [];
  return { folder: own, notes, logins: createLogins({ folder: own, note: (message) => notes.push(message) }) };
}

/** A browser whose person agrees to everything: it follows each address, and shows the last page. */
export async function browse(page: URL): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(page);
  return { status: response.status, text: await response.text() };
}

export async function logInTo(
  { url }: Pick<Authority, 'url'>,
  { logins }: Place,
  request: Partial<LoginRequest> = {},
): Promise<Awaited<ReturnType<typeof logIn>>> {
  const visits: Promise<unknown>[] = [];
  try {
    return await logIn(
      { server: new URL(url), onPage: (page) => void visits.push(browse(page).catch(() => undefined)), ...request },
      logins,
    );
  } finally {
    await Promise.all(visits);
  }
}

export function reach(
  { url }: Pick<Authority, 'url'>,
  { logins }: Place,
  options: ServerToolboxOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): ServerToolbox {
  const { headers, ...rest } = options;
  return keep(createServerToolbox({ kind: 'url', url, headers }, { logins, serverName: 'shop', ...rest }));
}
