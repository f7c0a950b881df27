import type { JsonObject } from '../../toolbox.js';
import { callAddresses } from './call-addresses.js';
import { type Address, pathsOf } from './operation.js';
import { operationAddresses } from './operation-addresses.js';
import { schemas } from './schemas.js';
import { serviceAddresses } from './service-addresses.js';

/** Every address of the gateway, by what it is for. */
export const addresses: Readonly<Record<string, readonly Address[]>> = {
  calls: callAddresses,
  services: serviceAddresses,
  operation: operationAddresses,
};

export interface Identity {
  readonly name: string;
  readonly version: string;
}

export function gatewayDocument({ name, version }: Identity): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [tag, rows] of Object.entries(addresses)) {
    for (const [path, methods] of Object.entries(pathsOf(rows, tag))) paths[path] = { ...paths[path], ...methods };
  }
  return {
    ...documentHead(
      { name, version },
      `Tools over HTTP. The tools of one service: /api/v1/services/{service}/openapi.json.`,
    ),
    tags: Object.keys(addresses).map((tag) => ({ name: tag })),
    paths,
    components: { schemas, securitySchemes },
  };
}

/** What every document begins with. Keys are asked for where the gateway has any. */
export function documentHead({ name, version }: Identity, description: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: name, version, description },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/' }],
    security: [{}, { bearer: [] }, { apiKey: [] }],
  };
}

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A key of this gateway, or an OAuth access token for it.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const satisfies JsonObject;
