import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CallerError } from '../../errors.js';
import type { Manifest, ManifestScript } from '../../manifest/manifest.js';
import { matchFiles } from './include.js';
import { isCompiledModule, localModules } from './modules.js';

/** A script with every file of its author's that it needs to run, by absolute paths. */
export interface GatheredScript {
  readonly script: ManifestScript;
  readonly files: readonly string[];
}

export interface Gathered {
  readonly scripts: readonly GatheredScript[];
  /** What may not work on another machine, in sentences. */
  readonly warnings: readonly string[];
}

export async function gather(
  manifest: Manifest,
  { include = [], leaveOut }: { readonly include?: readonly string[]; readonly leaveOut?: string },
): Promise<Gathered> {
  const included = await includedFiles(manifest, include, leaveOut);
  const scripts: GatheredScript[] = [];
  for (const script of manifest.scripts) {
    await checkUnchanged(script);
    const files = [
      script.path,
      ...script.files.map(({ path }) => path),
      ...(await localModules(script.path)),
      ...(await requirementFiles(script)),
      ...(included.get(script.path) ?? []),
    ];
    scripts.push({ script, files: [...new Set(files)].sort() });
  }
  return { scripts, warnings: (await Promise.all(scripts.map(warningsOf))).flat() };
}

/** A pattern that means nothing at all is a slip; it need not mean something beside every script. */
async function includedFiles(
  { scripts }: Manifest,
  patterns: readonly string[],
  leaveOut?: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const included = new Map<string, string[]>(scripts.map(({ path }) => [path, []]));
  for (const pattern of patterns) {
    let matches = 0;
    for (const [path, files] of included) {
      const found = await matchFiles(pattern, dirname(path), leaveOut);
      matches += found.length;
      files.push(...found);
    }
    if (matches > 0) continue;
    const message = `--include: ${pattern} matches no file, seen from the folder of the script`;
    throw new CallerError('INVALID_ARGUMENTS', message, { argument: '--include' });
  }
  return included;
}

/** The manifest describes the script as it was read; another script under the same tools would be a lie. */
async function checkUnchanged({ path, sha256 }: ManifestScript): Promise<void> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) throw new CallerError('INVALID_SCRIPT', `${path} cannot be read`, { file: path });
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return;
  throw new CallerError('INVALID_SCRIPT', `${path} changed while it was exported; try again`, { file: path });
}

/** requirements.txt, and the files that it names with -r and -c. */
async function requirementFiles({ path, dependencies }: ManifestScript): Promise<readonly string[]> {
  if (dependencies?.source !== 'requirements') return [];
  const found = new Set([join(dirname(path), 'requirements.txt')]);
  for (const file of found) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) found.delete(file);
    const named = (text ?? '').matchAll(/^\s*(?:-r|-c|--requirement|--constraint)[ \t=]*([^\s#]+)/gm);
    for (const [, name = ''] of named) if (!name.includes('://')) found.add(resolve(dirname(file), name));
  }
  return [...found];
}

async function warningsOf({ script, files }: GatheredScript): Promise<readonly string[]> {
  const compiled = files.filter(isCompiledModule);
  const environment = join(dirname(script.path), '.venv');
  const hasEnvironment = await stat(join(environment, 'pyvenv.cfg')).then(
    () => true,
    () => false,
  );
  return [
    ...compiled.map((file) => `${file} is compiled for this machine and may not work on another.`),
    ...(hasEnvironment && script.dependencies === undefined
      ? [`${environment} is not exported: name its packages in requirements.txt or in the script's inline metadata.`]
      : []),
  ];
}
