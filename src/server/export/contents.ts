import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import type { Manifest } from '../../manifest/manifest.js';
import { pythonPart } from '../../python/part.js';
import { bundleManifest } from './bundle-manifest.js';
import type { BundleNames } from './bundle-names.js';
import type { Places } from './layout.js';
import { readmeOf } from './readme.js';
import { filesBelow } from './walk.js';

/** A file of a bundle: one that is copied, or a text. */
export type BundleFile = { readonly path: string } & ({ readonly from: string } | { readonly text: string });

export interface BundlePlan {
  readonly manifest: Manifest;
  readonly names: BundleNames;
  /** One map per script of the manifest, in its order. */
  readonly places: readonly Places[];
  /** The bundled server; the one of this installation where it is not given. */
  readonly server?: string;
}

/** Every file of a bundle once, sorted by name. */
export async function contentsOf({ manifest, names, places, server }: BundlePlan): Promise<readonly BundleFile[]> {
  const files: readonly BundleFile[] = [
    ...places.flatMap((each) => [...each].map(([from, path]) => ({ path, from }))),
    ...(await pythonFiles()),
    { path: 'server.mjs', from: await existing(server ?? installedServer()) },
    { path: 'tools.json', text: asJson(placed(manifest, places)) },
    { path: 'manifest.json', text: asJson(bundleManifest(names, manifest, await ownVersion())) },
    { path: 'package.json', text: asJson(packageOf(names)) },
    { path: 'README.md', text: readmeOf(names, manifest) },
  ];
  const byPath = new Map(files.map((file) => [file.path, file]));
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function installedServer(): string {
  return join(dirname(pythonPart()), 'dist', 'standalone', 'server.mjs');
}

async function existing(server: string): Promise<string> {
  const found = await stat(server).catch(() => undefined);
  if (found?.isFile()) return server;
  throw new Error(`The installation is incomplete: its file ${basename(dirname(server))}/server.mjs is missing.`);
}

const packageSchema = z.object({ version: z.string() });

async function ownVersion(): Promise<string> {
  const text = await readFile(join(dirname(pythonPart()), 'package.json'), 'utf8');
  return packageSchema.parse(JSON.parse(text)).version;
}

async function pythonFiles(): Promise<readonly BundleFile[]> {
  const part = pythonPart();
  const files = [...(await filesBelow(join(part, 'mcp_execution'))), join(part, 'start.py')];
  return files.map((from) => ({ path: `python/${relative(part, from).split(sep).join('/')}`, from }));
}

/** The manifest with the paths of the bundle. A tool that is not enabled stays, to be enabled by hand. */
function placed(manifest: Manifest, places: readonly Places[]): Manifest {
  const placeOf = new Map(manifest.scripts.map(({ path }, index) => [path, places[index]?.get(path) ?? path]));
  return {
    ...manifest,
    scripts: manifest.scripts.map((script, index) => ({
      ...script,
      path: placeOf.get(script.path) ?? script.path,
      files: script.files.map((file) => ({ ...file, path: places[index]?.get(file.path) ?? file.path })),
    })),
    tools: manifest.tools.map((tool) => ({
      ...tool,
      run: { ...tool.run, script: placeOf.get(tool.run.script) ?? tool.run.script },
    })),
  };
}

function packageOf({ name, version, description }: BundleNames): object {
  const [type, engines] = ['module', { node: '>=20.19' }];
  return { name: name.toLowerCase(), version, description, private: true, type, bin: './server.mjs', engines };
}

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
