/**
 * The modules that a Python source imports by an absolute name, as the first part of that name.
 *
 * Read from the text and not from the syntax tree: a word too many does no harm, because only modules that lie beside the
 * script are looked for.
 */
export function importedModules(source: string): ReadonlySet<string> {
  const text = source.replace(/#.*/g, '').replace(/\\\r?\n/g, ' ');
  const named = [
    ...[...text.matchAll(fromImport)].map(([, module = '']) => module),
    ...[...text.matchAll(plainImport)].flatMap(([, modules = '']) => modules.split(',')),
    ...[...text.matchAll(importByName)].map(([, module = '']) => module),
  ];
  return new Set(named.map(firstPart).filter((name) => name !== ''));
}

const fromImport = /(?:^|[;:])[ \t]*from[ \t]+([\p{L}\p{N}_.]+)[ \t]+import\b/gmu;
const plainImport = /(?:^|[;:])[ \t]*import[ \t]+([^\n;]+)/gm;
const importByName = /\b(?:import_module|__import__|run_module)\(\s*['"]([\p{L}\p{N}_.]+)['"]/gu;

/** Nothing for a relative import: those are inside a package, which is taken whole. */
function firstPart(module: string): string {
  return /^\s*([\p{L}_][\p{L}\p{N}_]*)/u.exec(module)?.[1] ?? '';
}
