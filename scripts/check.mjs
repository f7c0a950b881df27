import { build } from './build.mjs';
import { checkDocs } from './docs.mjs';
import { isMain, runTool } from './run.mjs';
import { setUp } from './setup.mjs';

/** Types, format and lint, and generated pages; gives the names of those that failed. */
export async function check() {
  const steps = {
    'type check': async () => (await runTool('typescript/bin/tsc', ['-p', '.'])).code === 0,
    'format and lint': async () =>
      (await runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings'])).code === 0,
    'generated pages': checkDocs,
  };
  const failed = [];
  for (const [name, passes] of Object.entries(steps)) {
    console.error(`${name} ...`);
    if (!(await passes())) failed.push(name);
  }
  return failed;
}

if (isMain(import.meta.url)) {
  await setUp();
  await build();
  const failed = await check();
  for (const name of failed) console.error(`failed: ${name}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
