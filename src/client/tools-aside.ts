import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject } from '../toolbox.js';

type Page = Readonly<Record<string, unknown>>;

const aside = 'mcp-execution/tools';

/** The SDK refuses a list of the newer revision for one odd entry; the list is to lose that entry alone, so the SDK sees none. */
export function withToolsAside(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !Array.isArray(message.result.tools)) return message;
  const { tools, ttlMs, cacheScope, ...result } = message.result;
  const said = { ttlMs: isCount(ttlMs) ? ttlMs : 0, cacheScope: cacheScope === 'public' ? 'public' : 'private' };
  return { ...message, result: { ...result, ...said, tools: [], [aside]: { tools, ttlMs } } };
}

export function withToolsBack(page: Page): Page {
  return isJsonObject(page[aside]) ? { ...page, ...page[aside] } : page;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
