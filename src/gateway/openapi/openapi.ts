import type { FastifyInstance } from 'fastify';
import type { GatewayParts } from '../parts.js';
import { gatewayDocument } from './document.js';
import { serviceDocument } from './service-document.js';

interface Named {
  readonly Params: { readonly service: string };
}

/** What there is, in the words of OpenAPI 3.1. */
export function registerOpenApi(app: FastifyInstance, { identity, services }: GatewayParts): void {
  const document = gatewayDocument(identity);
  app.get('/openapi.json', { config: { scope: 'open' } }, async () => document);
  app.get<Named>('/api/v1/services/:service/openapi.json', { config: { scope: 'call' } }, async ({ params }) =>
    serviceDocument(services.get(params.service)),
  );
}
