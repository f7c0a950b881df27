import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleCommands, commandOptions, nodeOptions } from './bundle.mjs';
import { cache, isMain, root, runTool } from './run.mjs';
import { setUp } from './setup.mjs';

const dist = join(root, 'dist');
const bins = ['mcp-exec.js', 'mcp-execution-server.js'].map((name) => join(dist, 'bin', name));
const standalone = join(dist, 'standalone', 'server.mjs');
const stampFile = join(cache, 'build-stamp');

/** Builds the library, its types, the commands and the server of exports into dist/, unless what is there is still right. */
export async function build() {
  const stamp = await stampOfSources();
  const isCurrent = [...bins, standalone, join(dist, 'index.d.ts')].every((file) => existsSync(file));
  if (isCurrent && (await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return;
  console.error('Building ...');
  await rm(dist, { recursive: true, force: true });
  await bundleInto(dist).catch(() => fail('The code could not be bundled; the reason stands above.'));
  const { code } = await runTool('typescript/bin/tsc', ['-p', 'tsconfig.build.json']);
  if (code !== 0) fail('The types could not be written; the reason stands above.');
  await mkdir(cache, { recursive: true });
  await writeFile(stampFile, stamp);
}

/** The code of the library, the commands and the server of exports, without types. */
export async function bundleInto(outdir) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    ...nodeOptions,
    absWorkingDir: root,
    packages: 'external',
    entryPoints: { index: 'src/index.ts' },
    // What is imported late is loaded late.
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    outdir,
  });
  await bundleCommands({ esbuild, root, folder: join(outdir, 'bin') });
  await esbuild.build({
    ...commandOptions(),
    absWorkingDir: root,
    outdir,
    entryPoints: { 'standalone/server': 'src/cli/standalone.ts' },
    outExtension: { '.js': '.mjs' },
    minifyIdentifiers: true,
    keepNames: true,
  });
}

async function stampOfSources() {
  const files = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const others = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
    'scripts/bundle.mjs',
    'scripts/launcher.cjs',
  ];
  const hash = createHash('sha256');
  for (const path of [...paths.sort(), ...others.map((name) => join(root, name))]) {
    hash
      .update(path.slice(root.length))
      .update('\0')
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (isMain(import.meta.url)) {
  await setUp();
  await build();
}
