import { isJsonObject, type JsonSchema, type JsonValue } from '../../toolbox.js';
import { isList, ownValue } from '../expect/json.js';
import { stepsOf } from '../expect/path-text.js';

const mostFollowed = 100;

/** What references within a schema lead to. Those that lead elsewhere, or too often round, lead nowhere. */
export function createReferences(root: JsonSchema): { resolve(reference: string): JsonValue | undefined } {
  let followed = 0;
  return {
    resolve(reference) {
      followed += 1;
      if (followed > mostFollowed || !reference.startsWith('#')) return undefined;
      const pointer = decoded(reference.slice(1));
      if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
      return stepsOf(pointer).reduce<JsonValue | undefined>(below, root);
    },
  };
}

function below(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (isList(value)) return typeof step === 'number' ? value[step] : undefined;
  return isJsonObject(value) ? ownValue(value, String(step)) : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
