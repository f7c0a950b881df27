import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cache, root } from './run.mjs';

/** Bundles a TypeScript file of the project, so that this Node can run it; gives the path of the result. */
export async function compile(entry, name) {
  const esbuild = await import('esbuild');
  await mkdir(cache, { recursive: true });
  const outfile = join(cache, `${name}.mjs`);
  await esbuild.build({
    absWorkingDir: root,
    ...(typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: { resolveDir: root, ...entry } }),
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

export async function load(entry, name) {
  return import(pathToFileURL(await compile(entry, name)).href);
}
