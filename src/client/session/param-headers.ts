import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';

/** In the newer revision some tools want arguments repeated in headers. */
export interface ParamHeaders {
  /** Looks at a result that may be a list of tools. */
  learn(result: JsonObject): void;
  /** Of a request, where there are any. */
  of(method: string, params: JsonObject): Record<string, string> | undefined;
}

interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

const mostTools = 10_000;
const deepest = 20;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function createParamHeaders(): ParamHeaders {
  const declared = new Map<string, readonly Declared[]>();
  return {
    learn({ tools }) {
      if (!Array.isArray(tools)) return;
      for (const tool of tools) {
        if (!isJsonObject(tool) || typeof tool.name !== 'string' || declared.size >= mostTools) continue;
        const found = declaredIn(tool.inputSchema ?? null, []);
        if (found.length > 0) declared.set(tool.name, found);
        else declared.delete(tool.name);
      }
    },
    of(method, { name, arguments: args }) {
      const found = method === 'tools/call' && typeof name === 'string' ? declared.get(name) : undefined;
      if (!found) return undefined;
      const headers: Record<string, string> = {};
      for (const { path, header } of found) {
        const value = asText(path.reduce<JsonValue | undefined>(member, args));
        if (value !== undefined) headers[`Mcp-Param-${header}`] = encoded(value);
      }
      return headers;
    },
  };
}

function declaredIn(schema: JsonValue, path: readonly string[]): readonly Declared[] {
  if (!isJsonObject(schema) || path.length > deepest) return [];
  const header = schema['x-mcp-header'];
  const own = typeof header === 'string' && token.test(header) && path.length > 0 ? [{ path, header }] : [];
  const { properties } = schema;
  const below = isJsonObject(properties)
    ? Object.entries(properties).flatMap(([name, inner]) => declaredIn(inner, [...path, name]))
    : [];
  return [...own, ...below];
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function asText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : undefined;
}

/** Headers carry printable ASCII; everything else goes as Base64, as the protocol says. */
function encoded(value: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
