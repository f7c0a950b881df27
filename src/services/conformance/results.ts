import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const checkSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().default(''),
  status: z.string(),
  errorMessage: z.string().optional(),
  specReferences: z.array(z.object({ url: z.string().optional() })).optional(),
});

/** What the official suite looked at in a scenario. */
export type Check = z.output<typeof checkSchema>;

const maxFileBytes = 32 * 1024 * 1024;

/** The checks of a scenario that was run to its end; undefined where the suite wrote none. */
export async function readChecks(folder: string, scenario: string): Promise<readonly Check[] | undefined> {
  const folders = await readdir(folder).catch(() => []);
  const own = folders.filter((name) => isFolderOf(name, scenario)).sort();
  const file = join(folder, own.at(-1) ?? '', 'checks.json');
  try {
    if (own.length === 0 || (await stat(file)).size > maxFileBytes) return undefined;
    return z.array(checkSchema).parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** As in server-ping-2026-11-16T04-23-25-442Z. */
function isFolderOf(name: string, scenario: string): boolean {
  const prefix = `server-${scenario}-`;
  return name.startsWith(prefix) && /^\d{4}-\d\d-\d\dT[\d-]+Z$/.test(name.slice(prefix.length));
}
