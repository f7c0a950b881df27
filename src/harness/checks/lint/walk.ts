import { isJsonObject, type JsonObject, type JsonValue } from '../../../toolbox.js';
import { isList } from '../../expect/json.js';

export const deepest = 64;
export const largest = 256 * 1024;

/** How much there is of a schema; it is not looked at any further where that is too much. */
export function extentOf(schema: JsonObject): { readonly size: number; readonly depth: number } {
  const room = { size: 0, depth: 0 };
  measure(schema, 1, room);
  return room;
}

function measure(value: JsonValue, depth: number, room: { size: number; depth: number }): void {
  room.depth = Math.max(room.depth, depth);
  room.size += typeof value === 'string' ? value.length + 2 : 4;
  if (depth > deepest || room.size > largest) return;
  if (isList(value)) for (const each of value) measure(each, depth + 1, room);
  if (!isJsonObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    room.size += key.length + 3;
    measure(each, depth + 1, room);
  }
}

/** References to anything but a place in the schema itself. */
export function foreignReferences(schema: JsonObject): readonly string[] {
  const references = new Set<string>();
  const ids = new Set<string>();
  visit(schema, references, ids);
  return [...references].filter((reference) => !reference.startsWith('#') && !isOwn(reference, ids));
}

/** Values there are data, whatever their keys look like. */
const holdsData = new Set(['const', 'enum', 'default', 'examples']);

function visit(value: JsonValue, references: Set<string>, ids: Set<string>): void {
  if (isList(value)) for (const each of value) visit(each, references, ids);
  if (!isJsonObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if ((key === '$ref' || key === '$dynamicRef') && typeof each === 'string') references.add(each);
    else if (key === '$id' && typeof each === 'string') ids.add(each);
    else if (!holdsData.has(key)) visit(each, references, ids);
  }
}

function isOwn(reference: string, ids: ReadonlySet<string>): boolean {
  const [address = ''] = reference.split('#');
  return [...ids].some((id) => id === address || id.endsWith(`/${address}`));
}
