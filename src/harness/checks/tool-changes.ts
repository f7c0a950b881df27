import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isEqual } from '../expect/equal.js';
import { bounded } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { listed, wrong } from './findings.js';

/** What is not the same of two lists of tools; their order does not matter. */
export function toolChanges(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  when: string,
): readonly Finding[] {
  const [old, now] = [byName(before), byName(after)];
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const changed = [...old].filter(([name, tool]) => now.has(name) && !isEqual(tool, now.get(name) ?? null));
  const told = [
    ...(gone.length > 0 ? [`gone: ${listed(gone)}`] : []),
    ...(added.length > 0 ? [`new: ${listed(added)}`] : []),
    ...(changed.length > 0 ? [`changed: ${listed(changed.map(([name]) => name))}`] : []),
  ];
  if (told.length === 0) return [];
  const message = `The server came up with other tools ${when} (${told.join('; ')}).`;
  return [wrong(message, { expected: bounded([...old.keys()]), actual: bounded([...now.keys()]) })];
}

function byName(tools: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
  return new Map(tools.map((tool, index) => [nameOf(tool) ?? `number ${index + 1}`, tool]));
}

function nameOf(tool: JsonValue): string | undefined {
  return isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : undefined;
}
