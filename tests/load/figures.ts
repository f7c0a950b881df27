import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../bench/load.json');

/** Tells what was seen under load. With KEEP_LOAD=1 it is kept for bench/RESULTS.md; the tests have to run one by one then. */
export async function tellFigure(what: string, wanted: string, seen: string): Promise<void> {
  console.log(`${what}: ${seen} (wanted: ${wanted})`);
  if (process.env.KEEP_LOAD !== '1') return;
  const kept: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
  const all = Object.entries({ ...kept, [what]: { wanted, seen } }).sort(([one], [other]) => (one < other ? -1 : 1));
  await writeFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}
