import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import type { Meeting } from './meeting.js';

export interface MetaOptions extends Meeting {
  readonly identity: { readonly name: string; readonly version: string };
  /** What this side declares that it can do. */
  readonly capabilities?: JsonObject;
}

/** In the newer revision every request says what an introduction said once. */
export function metaOf({ era, protocolVersion, identity, capabilities, introduced }: MetaOptions): JsonObject {
  if (era === 'legacy') return {};
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: { ...identity },
    [CLIENT_CAPABILITIES_META_KEY]: capabilities ?? {},
    ...(introduced.capabilities.logging !== undefined && { [LOG_LEVEL_META_KEY]: 'debug' }),
  };
}

/** A suite may choose the token itself. */
export function tokenIn(params: JsonObject): string | undefined {
  const { progressToken } = metaIn(params);
  return typeof progressToken === 'string' || typeof progressToken === 'number' ? String(progressToken) : undefined;
}

export function metaIn({ _meta }: JsonObject): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}
