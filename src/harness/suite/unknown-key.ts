import type { Path } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import { withinAction } from './actions.js';
import { serverForms } from './schema.js';
import { expectSchema } from './schema-expect.js';

/** What to say of a key that means nothing where it stands. */
export function unknownKey(key: string, path: Path, known: readonly string[]): string {
  const near = nearest(key, known);
  const meant = near === undefined ? undefined : `did you mean ${near}?`;
  const hint = elsewhere(key, path) ?? meant ?? hintOfField(path) ?? `known are ${known.join(', ')}`;
  return `there is nothing of this name; ${hint}`;
}

/** Keys of one place are easily written into another. */
function elsewhere(key: string, path: Path): string | undefined {
  if (path.length === 0) {
    const other = { tests: 'cases', env: 'env under server', depends_on: 'depends_on in a case' }[key];
    if (other !== undefined) return `did you mean ${other}?`;
    return Object.values(serverForms).some(({ shape }) => key in shape) ? 'it belongs under server' : undefined;
  }
  const [first, second] = withinAction(path) ?? ['elsewhere'];
  if (first === undefined) {
    const other = synonyms.get(key);
    if (other !== undefined) return `did you mean ${other}?`;
    return Object.hasOwn(expectSchema.shape, key) ? 'it belongs under expect' : undefined;
  }
  return first === 'expect' && second === undefined ? inExpect.get(key) : undefined;
}

function hintOfField(path: Path): string | undefined {
  const [first, ...inner] = withinAction(path) ?? [];
  const isField = first === 'expect' && (inner.includes('fields') || inner[0] === 'data');
  return isField ? 'an object to compare with goes under value' : undefined;
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ['args', 'arguments'],
  ['input', 'arguments'],
  ['with', 'arguments'],
  ['before', 'setup'],
  ['after', 'teardown or depends_on'],
  ['needs', 'depends_on'],
  ['assert', 'expect'],
  ['validator', 'validate'],
  ['uri', 'resource'],
  ['method', 'request'],
  ['retries', 'retry'],
]);

const inExpect: ReadonlyMap<string, string> = new Map([
  ['isError', 'did you mean error?'],
  ['code', 'it belongs under error'],
  ['equals', 'it belongs under text'],
  ['contains', 'it belongs under text'],
  ['excludes', 'it belongs under text'],
  ['pattern', 'it belongs under text'],
  ['validate', 'it belongs beside expect'],
  ['capture', 'it belongs beside expect'],
]);
