import { basename, dirname, extname, resolve } from 'node:path';
import { type Path, type PlacedText, shownName } from '../../configfile/place.js';
import { readConfigText } from '../../configfile/text.js';
import type { CallerError } from '../../errors.js';
import type { Suite } from '../suite.js';
import { casesOf } from './cases.js';
import { readDocument } from './document.js';
import { readNamedFiles } from './files.js';
import { jsonOf } from './json.js';
import { createMistakes, type Mistakes, unplacedText } from './mistakes.js';
import { idsBefore } from './order.js';
import { checkPatterns } from './patterns.js';
import { checkReferences } from './scopes.js';

export interface ReadSuiteOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** What a relative file starts from. Not given: the folder of this process. */
  readonly cwd?: string;
  /** Ends waiting for a suite that comes through a pipe. */
  readonly signal?: AbortSignal;
}

export interface SuiteOfOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** What relative paths in the suite start from. */
  readonly folder: string;
  /** What errors and reports call it, unless it has a name itself. */
  readonly name?: string;
}

/** Reads a suite of YAML or JSON. All that is wrong with it is one error, which names each place and what to write instead. */
export async function readSuite(file: string, options: ReadSuiteOptions): Promise<Suite> {
  const { environment, cwd = process.cwd(), signal } = options;
  const whole = resolve(cwd, file);
  const text = await readConfigText(whole, { code: 'INVALID_SUITE', adviceOn, signal });
  const repeated: CallerError[] = [];
  const placed = await parseText(text, file, (_path, error) => repeated.push(error));
  const mistakes = createMistakes(placed);
  for (const error of repeated) mistakes.take(error);
  const name = basename(whole, extname(whole));
  return suiteFrom(placed, mistakes, { environment, file, folder: dirname(whole), name });
}

/** A suite of a value, such as a program makes. */
export async function suiteOf(
  document: unknown,
  { environment, folder, name = 'suite' }: SuiteOfOptions,
): Promise<Suite> {
  const placed = unplacedText(document, shownName(name));
  const mistakes = createMistakes(placed);
  const value = jsonOf(document, mistakes);
  mistakes.throwIfAny();
  return suiteFrom({ ...placed, value }, mistakes, { environment, file: name, folder: resolve(folder), name });
}

interface Origin {
  readonly environment: NodeJS.ProcessEnv;
  readonly file: string;
  readonly folder: string;
  readonly name: string;
}

async function suiteFrom(text: PlacedText, mistakes: Mistakes, origin: Origin): Promise<Suite> {
  const { document, given } = readDocument(text.value, mistakes, origin.environment);
  const { file, folder } = origin;
  const texts = await readNamedFiles(document, given, folder, mistakes);
  await checkPatterns(document, mistakes);
  const expanded = casesOf(document, text, mistakes);
  const implied = checkReferences(document, given, texts, mistakes);
  const before = idsBefore(document, expanded, implied, given, mistakes);
  mistakes.throwIfAny();
  const cases = expanded.flatMap((rows, index) => rows.map((each) => ({ ...each, after: before[index] ?? [] })));
  const placeOfCheck = (name: string) => text.placeOf(['checks', ...stepTo(name, given)]);
  const name = document.name ?? origin.name;
  return { file, folder, name, document, cases, texts, place: text.placeOf([]), placeOfCheck };
}

/** Checks are a list of names, a mapping by names, or one word for all of them. */
function stepTo(name: string, given: unknown): readonly (string | number)[] {
  const checks: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'checks') : undefined;
  if (Array.isArray(checks)) return [checks.indexOf(name)];
  return typeof checks === 'object' ? [name] : [];
}

async function parseText(
  text: string,
  file: string,
  onRepeated: (path: Path, error: CallerError) => void,
): Promise<PlacedText> {
  const options = { code: 'INVALID_SUITE', onRepeated } as const;
  if (/\.jsonc?$/i.test(file)) return (await import('../../configfile/json.js')).readJson(text, file, options);
  return (await import('../../configfile/yaml.js')).readYaml(text, file, options);
}

function adviceOn(code: string): string | undefined {
  return code === 'EISDIR' ? 'name a suite in it, such as suite.yaml' : undefined;
}
