import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { CallerError } from '../errors.js';
import { nearest } from '../nearest.js';

/** What the given paths come to: files, each once, in the order given; those of a folder by name. */
export interface Targets {
  readonly scripts: readonly string[];
  readonly manifests: readonly string[];
}

const usualMaxScripts = 2000;
/** What is larger is data, and would take minutes and all the memory to be read as a script. */
const maxScriptBytes = 64 * 1024 * 1024;
const maxFoldersOfFolder = 10_000;
const foldersLeftOut = new Set(['node_modules', '__pycache__', 'venv', 'site-packages', 'tests']);
const filesLeftOut = /^(?:test_.*|.*_test|conftest|setup|__init__|__main__)\.py$/;

export function findTargets(paths: readonly string[], maxScripts: number = usualMaxScripts): Targets {
  if (paths.length === 0)
    throw new CallerError('INVALID_SCRIPT', 'No script is named: give Python files, folders or manifests');
  const files = paths.flatMap((path) => filesOf(path, maxScripts));
  const distinct = files.length === 1 ? files : withoutRepeats(files);
  return {
    scripts: distinct.filter((file) => !isManifest(file)),
    manifests: distinct.filter(isManifest),
  };
}

export function isManifest(file: string): boolean {
  return extname(file).toLowerCase() === '.json';
}

/** The error for a path where nothing is, with the name that was probably meant. */
export function missing(file: string, subject = `There is no file ${file}`): CallerError {
  const folder = dirname(file);
  const names = entriesOf(folder)?.map(({ name }) => name);
  if (names === undefined) return new CallerError('INVALID_SCRIPT', `${subject}: its folder does not exist`, { file });
  const near = nearest(
    basename(file),
    names.filter((name) => !name.startsWith('.')),
  );
  const hint = near === undefined ? '' : `; did you mean ${join(folder, near)}?`;
  return new CallerError('INVALID_SCRIPT', `${subject}${hint}`, { file });
}

function filesOf(path: string, maxScripts: number): readonly string[] {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new CallerError('INVALID_SCRIPT', `${JSON.stringify(path)} is no path`);
  }
  const file = resolve(path);
  const found = lookAt(file);
  if (found === undefined) throw isLink(file) ? leadsNowhere(file) : missing(file);
  if (found.isDirectory()) return scriptsOfFolder(file, maxScripts);
  if (found.isFile() && found.size > maxScriptBytes) throw tooLarge(file, found.size);
  if (found.isFile()) return [file];
  throw new CallerError('INVALID_SCRIPT', `${file} is neither a file nor a folder`, { file });
}

/** Everything below the folder that reads like a script; tests, packages' insides and hidden places do not. */
function scriptsOfFolder(folder: string, maxScripts: number): readonly string[] {
  const scripts: string[] = [];
  const waiting = [folder];
  const seen = new Set<string>();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const real = realpathSync(next);
    if (seen.has(real)) continue;
    seen.add(real);
    for (const entry of entriesOf(next) ?? []) {
      const kind = kindOf(join(next, entry.name), entry);
      if (kind === 'script') scripts.push(join(next, entry.name));
      if (kind === 'folder') waiting.push(join(next, entry.name));
    }
    if (scripts.length > maxScripts || seen.size > maxFoldersOfFolder) throw tooMany(folder, maxScripts);
  }
  if (scripts.length > 0) return scripts.sort();
  const message = `The folder ${folder} has no script: no .py file beside tests, setup.py and what is hidden`;
  throw new CallerError('INVALID_SCRIPT', message, { file: folder });
}

function kindOf(path: string, entry: Dirent): 'script' | 'folder' | undefined {
  const { name } = entry;
  if (name.startsWith('.')) return undefined;
  const found = entry.isSymbolicLink() ? lookAt(path) : entry;
  if (found?.isFile())
    return name.endsWith('.py') && !filesLeftOut.test(name) && isOfSomeSize(path) ? 'script' : undefined;
  if (!found?.isDirectory() || foldersLeftOut.has(name) || isEnvironment(path) || isExport(path)) return undefined;
  return 'folder';
}

function isOfSomeSize(file: string): boolean {
  const size = lookAt(file)?.size ?? 0;
  return size > 0 && size <= maxScriptBytes;
}

/** undefined where nothing is, and where a link leads to itself or through what is no folder. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && isNothing.has(cause.code)) return undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError('INVALID_SCRIPT', `${path} cannot be looked at: ${reason}`, { file: path }, { cause });
  }
}

const isNothing: ReadonlySet<unknown> = new Set(['ELOOP', 'ENOTDIR', 'ENOENT']);

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function leadsNowhere(file: string): CallerError {
  return new CallerError('INVALID_SCRIPT', `${file} is a link that leads to no file`, { file });
}

/** A virtual environment by any name. */
function isEnvironment(folder: string): boolean {
  return statSync(join(folder, 'pyvenv.cfg'), { throwIfNoEntry: false }) !== undefined;
}

/** A standalone server that was exported: its scripts are copies. */
function isExport(folder: string): boolean {
  return ['server.mjs', 'tools.json'].every((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isFile(),
  );
}

function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

function withoutRepeats(files: readonly string[]): readonly string[] {
  const byRealPath = new Map<string, string>();
  for (const file of files) {
    const real = realpathSync(file);
    if (!byRealPath.has(real)) byRealPath.set(real, file);
  }
  return [...byRealPath.values()];
}

function tooLarge(file: string, bytes: number): CallerError {
  const message = `${file} has ${bytes} bytes, and a script or manifest at most ${maxScriptBytes}: is it the right file?`;
  return new CallerError('INVALID_SCRIPT', message, { file });
}

function tooMany(folder: string, maxScripts: number): CallerError {
  const message = `The folder ${folder} has more than ${maxScripts} scripts or ${maxFoldersOfFolder} folders; name a smaller one, or single scripts`;
  return new CallerError('INVALID_SCRIPT', message, { file: folder });
}
