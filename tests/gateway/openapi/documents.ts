import type { JsonObject, JsonValue } from '../../../src/toolbox.js';

/** What is wrong with a document beyond its form: references that lead nowhere, ids given twice, parameters not declared. */
export function problemsOf(document: JsonObject): string[] {
  const problems: string[] = [];
  const ids: unknown[] = [];
  walk(document, (part) => {
    if (typeof part.$ref === 'string' && find(document, part.$ref) === undefined)
      problems.push(`${part.$ref} leads nowhere`);
    if (typeof part.operationId === 'string') ids.push(part.operationId);
  });
  for (const id of ids) if (ids.filter((other) => other === id).length > 1) problems.push(`${id} is given twice`);
  for (const [path, methods] of Object.entries(asObject(document.paths))) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    for (const operation of Object.values(asObject(methods))) {
      const declared = asList(asObject(operation).parameters)
        .map(asObject)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name)
        .sort();
      if (JSON.stringify(declared) !== JSON.stringify(inPath)) problems.push(`${path} declares ${declared.join()}`);
    }
  }
  return problems;
}

/** The part of a document that a reference within it means. */
export function find(document: JsonValue, reference: string): JsonValue | undefined {
  if (!reference.startsWith('#/')) return reference.startsWith('#') ? undefined : null;
  let at: JsonValue | undefined = document;
  for (const name of reference.slice(2).split('/')) {
    const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (Reflect.get(at, key) as JsonValue) : undefined;
  }
  return at;
}

/** References are not references where they are values. */
function walk(value: JsonValue, look: (part: JsonObject) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) look(asObject(value));
  for (const [key, member] of Object.entries(value)) {
    if (!['default', 'const', 'enum', 'examples'].includes(key)) walk(member, look);
  }
}

export function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
