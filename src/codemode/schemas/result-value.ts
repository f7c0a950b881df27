import type { JsonObject, JsonValue, ToolResult } from '../../toolbox.js';

/** The parts of an answer that say what it is. */
export type Answer = Pick<ToolResult, 'content' | 'structuredContent' | 'isError'>;

/** What a wrapper gives to a script for an answer, and where in the answer that stands. */
export type ResultValue =
  | { readonly from: 'structured'; readonly value: JsonObject }
  | { readonly from: 'text'; readonly value: string }
  | { readonly from: 'nothing'; readonly value: null }
  | { readonly from: 'blocks'; readonly value: readonly JsonValue[] };

/** The same rules as those of python/mcp_execution/wrappers.py, where texts are not decoded. */
export function resultValueOf({ content, structuredContent }: Answer): ResultValue {
  if (structuredContent !== undefined) return { from: 'structured', value: structuredContent };
  const [only, ...others] = content;
  if (only === undefined) return { from: 'nothing', value: null };
  if (others.length === 0 && only.type === 'text' && typeof only.text === 'string') {
    return { from: 'text', value: only.text };
  }
  return { from: 'blocks', value: content.map((block): JsonObject => ({ ...block })) };
}

/** The object or array that a text is the JSON of. A number or a word alone is a text that happens to be JSON. */
export function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
