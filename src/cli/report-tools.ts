import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Exploration, LeftOut } from '../manifest/explore.js';
import type { ManifestScript, ManifestTool } from '../manifest/manifest.js';
import { harmless } from './harmless.js';
import type { Paint } from './report.js';
import { signatureOf } from './signature.js';

export interface Page {
  readonly width: number;
  readonly paint: Paint;
  /** What the paths of scripts are shown relative to. */
  readonly folder: string;
}

/** The tools of each script, as a person reads them. */
export function describeTools({ manifest }: Exploration, page: Page): string {
  return sections(manifest.scripts, page, (script) => {
    const tools = manifest.tools.filter(({ run }) => run.script === script.path);
    const lines = tools.flatMap((tool) => describeTool(tool, page));
    return lines.length === 0 ? [`  ${page.paint('dim', 'no tools; --explain says why')}`] : lines;
  });
}

/** Why each function is a tool or is none, and what to write to change that. */
export function explainTools({ manifest, leftOut }: Exploration, page: Page): string {
  return sections(manifest.scripts, page, (script) => {
    const tools = manifest.tools.filter(({ run }) => run.script === script.path);
    const others = leftOut.filter((one) => one.script === script.path);
    return [
      ...explainScript(script, page),
      ...tools.flatMap((tool) => explainTool(tool, page)),
      ...others.flatMap((one) => explainLeftOut(one, page)),
    ];
  });
}

function sections(
  scripts: readonly ManifestScript[],
  { paint, folder }: Page,
  linesOf: (script: ManifestScript) => readonly string[],
): string {
  const written = scripts.map((script) =>
    [paint('bold', shownPath(script.path, folder)), ...linesOf(script)].join('\n'),
  );
  return `${written.join('\n\n')}\n`;
}

/** As short as it can be said. */
export function shownPath(path: string, folder: string): string {
  const shown = relative(folder, path);
  return shown === '' || shown.length > path.length || shown.startsWith('..') ? path : shown;
}

function describeTool(tool: ManifestTool, { width, paint }: Page): readonly string[] {
  const [head = '', ...rest] = wrapped(harmless(signatureOf(tool)), width, '  ', '      ');
  const summary = firstSentence(tool.description ?? '');
  const said = harmless(tool.enabled ? summary : `off: ${tool.why}`);
  const marked = tool.enabled ? head.replace(tool.name, (name) => paint('green', name)) : paint('dim', head);
  return [marked, ...rest, ...wrapped(said, width, '    ', '    ').map((line) => paint('dim', line))];
}

function explainScript(
  { importEffects, dependencies, requiresPython, files }: ManifestScript,
  page: Page,
): readonly string[] {
  const facts = [
    ...importEffects.map((effect) => `when imported: ${effect}`),
    ...(importEffects.length > 0 ? ['so it is imported anew by each call, and never ahead of one'] : []),
    ...(requiresPython === undefined ? [] : [`asks for Python ${requiresPython}`]),
    ...(dependencies === undefined
      ? []
      : [`asks for packages (${dependencies.source}): ${dependencies.packages.join(', ')}`]),
    ...(files.length === 0
      ? []
      : [`types were followed into ${files.map(({ path }) => shownPath(path, page.folder)).join(', ')}`]),
  ];
  return facts.flatMap((fact) => wrapped(harmless(fact), page.width, '  ', '    '));
}

function explainTool(
  { name, line, enabled, why, degraded = [], warnings = [] }: ManifestTool,
  page: Page,
): readonly string[] {
  const state = enabled ? page.paint('green', 'tool') : page.paint('red', 'off');
  return [
    ...entry(name, line, state, why, page),
    ...degraded.flatMap((text) => wrapped(`degraded: ${harmless(text)}`, page.width, '      ', '        ')),
    ...warnings.flatMap((text) => wrapped(`warning: ${harmless(text)}`, page.width, '      ', '        ')),
  ];
}

function explainLeftOut({ name, line, why, change }: LeftOut, page: Page): readonly string[] {
  const changes =
    change === undefined ? [] : wrapped(`to change that: ${harmless(change)}`, page.width, '      ', '        ');
  return [...entry(name, line, page.paint('dim', 'left out'), why, page), ...changes];
}

function entry(name: string, line: number | undefined, state: string, why: string, { width }: Page): readonly string[] {
  const place = line === undefined ? '' : ` (line ${line})`;
  return wrapped(`${harmless(name)}${place}: ${state}: ${harmless(why)}`, width, '  ', '      ');
}

export function firstSentence(text: string): string {
  const paragraph = text.trim().split(/\n\s*\n/)[0] ?? '';
  const line = paragraph.replace(/\s+/g, ' ');
  return /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
}

/** Broken at spaces into lines of that width; a word that is longer stays whole. */
export function wrapped(text: string, width: number, first: string, others: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const indent = lines.length === 0 ? first : others;
    const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (line !== '' && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = `${others}${word}`;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
