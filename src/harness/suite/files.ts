import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Path } from '../../configfile/place.js';
import { readConfigText } from '../../configfile/text.js';
import { actionsOf } from './actions.js';
import type { Mistakes } from './mistakes.js';
import { asWritten } from './paths.js';
import { referencesIn } from './references.js';
import type { SuiteDocument } from './schema.js';

const maxFileBytes = 4 * 1024 * 1024;
const maxFiles = 2000;
const atOnce = 16;

/** The texts of the files that a suite names, by the path as it is written. */
export async function readNamedFiles(
  document: SuiteDocument,
  given: unknown,
  folder: string,
  mistakes: Mistakes,
): Promise<ReadonlyMap<string, string>> {
  const named = namedFiles(document);
  const first = new Map(named.map((each) => [each.file, each] as const).reverse());
  const texts = new Map<string, string>();
  if (first.size > maxFiles) {
    mistakes.add([], `it names more than ${maxFiles} files`);
    return texts;
  }
  const waiting = [...first.values()];
  for (let start = 0; start < waiting.length; start += atOnce) {
    await Promise.all(waiting.slice(start, start + atOnce).map(read));
  }
  for (const each of named) checkForm(each);
  await checkServer();
  return texts;

  async function read({ file, path }: NamedFile): Promise<void> {
    if (referencesIn(file).length > 0) {
      mistakes.add(asWritten(path, given), 'a file is read before there are values: expected a path without {{ }}');
      return;
    }
    try {
      texts.set(file, await readConfigText(resolve(folder, file), { maxBytes: maxFileBytes, code: 'INVALID_SUITE' }));
    } catch (error) {
      mistakes.add(asWritten(path, given), error instanceof Error ? error.message : String(error));
    }
  }

  function checkForm({ file, path, kind }: NamedFile): void {
    const text = texts.get(file);
    if (kind !== 'schema' || text === undefined || isSchema(text)) return;
    mistakes.add(path, `the file is no JSON Schema: expected an object of JSON, or true or false`);
  }

  async function checkServer(): Promise<void> {
    const { server } = document;
    if ('script' in server) {
      const scripts = typeof server.script === 'string' ? [server.script] : server.script;
      await Promise.all(scripts.map((script, index) => mustBeThere(script, ['server', 'script', index])));
    }
    if ('cwd' in server && server.cwd !== undefined) await mustBeThere(server.cwd, ['server', 'cwd']);
  }

  async function mustBeThere(file: string, path: Path): Promise<void> {
    if (referencesIn(file).length > 0) return;
    const whole = resolve(folder, file);
    const isThere = await stat(whole).then(
      () => true,
      () => false,
    );
    if (!isThere) mistakes.add(asWritten(path, given), `there is no ${whole}`);
  }
}

interface NamedFile {
  readonly file: string;
  readonly path: Path;
  readonly kind: 'validator' | 'schema' | 'baseline';
}

function namedFiles(document: SuiteDocument): readonly NamedFile[] {
  const expected = document.conformance?.expected_failures;
  return [
    ...(typeof expected === 'string'
      ? [{ file: expected, path: ['conformance', 'expected_failures'], kind: 'baseline' } as const]
      : []),
    ...actionsOf(document).flatMap(({ path, spec }): readonly NamedFile[] => {
      const schema = spec.expect?.schema;
      return [
        ...(spec.validate ?? []).flatMap(({ file }, index): readonly NamedFile[] =>
          file === undefined ? [] : [{ file, path: [...path, 'validate', index, 'file'], kind: 'validator' }],
        ),
        ...(typeof schema === 'string'
          ? [{ file: schema, path: [...path, 'expect', 'schema'], kind: 'schema' } as const]
          : []),
      ];
    }),
  ];
}

function isSchema(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
  } catch {
    return false;
  }
}
