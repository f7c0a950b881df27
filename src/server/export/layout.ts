import { basename, dirname, join, parse, relative, sep } from 'node:path';

/** Where each file goes, by its absolute path: relative to the bundle, with forward slashes. */
export type Places = ReadonlyMap<string, string>;

/**
 * One map per list of files, in their order. Files keep their places among each other, so that imports and data are found;
 * lists that have no folder in common get one each.
 */
export function layOut(lists: readonly (readonly string[])[]): readonly Places[] {
  const root = commonFolder(lists.flat());
  if (root !== undefined) return lists.map((files) => placesOf(files, root, scriptsFolder));
  const names = new Map<string, string>();
  return lists.map((files) => {
    const own = commonFolder(files) ?? '';
    const name = names.get(own) ?? freeName(basename(own) || 'files', [...names.values()]);
    names.set(own, name);
    return placesOf(files, own, `${scriptsFolder}/${name}`);
  });
}

/** A folder of their own, so that no file of a script clashes with one of ours. */
const scriptsFolder = 'scripts';

function placesOf(files: readonly string[], root: string, folder: string): Places {
  return new Map(files.map((file) => [file, `${folder}/${withinFolder(file, root).split(sep).join('/')}`]));
}

/** Without a root, from the root of the disk, whose letter becomes a folder. */
function withinFolder(file: string, root: string): string {
  if (root !== '') return relative(root, file);
  const disk = parse(file).root;
  return join(disk.replace(/[^\p{L}\p{N}]+/gu, ''), file.slice(disk.length));
}

/** The nearest folder that holds all files; none where that is only the root of the disk, or they are on several. */
export function commonFolder(files: readonly string[]): string | undefined {
  const folders = [...new Set(files.map((file) => dirname(file)))];
  let [folder = sep] = folders;
  while (!folders.every((other) => other === folder || other.startsWith(join(folder, sep)))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return dirname(folder) === folder && folders.length > 1 ? undefined : folder;
}

function freeName(wanted: string, taken: readonly string[]): string {
  const isTaken = (name: string) => taken.some((other) => other.toLowerCase() === name.toLowerCase());
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}
