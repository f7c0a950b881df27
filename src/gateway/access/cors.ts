import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { HostCheck } from './hosts.js';

const preflightSeconds = 600;

/** Lets the pages of configured origins use the gateway; with none configured nothing changes. */
export async function registerCors(app: FastifyInstance, { isCorsOrigin }: HostCheck): Promise<void> {
  app.addHook('onRoute', (route) => {
    // The plugin's own route, which only tells that there is nothing.
    if (route.url === '*' && route.method === 'OPTIONS') route.config = { ...route.config, scope: 'open' };
  });
  await app.register(cors, {
    origin: (origin, done) => done(null, isCorsOrigin(origin)),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // A star does not stand for Authorization, and not for anything in older browsers.
    allowedHeaders: [
      'Authorization',
      'X-API-Key',
      'Content-Type',
      'Accept',
      'Last-Event-ID',
      'Mcp-Session-Id',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
      'Idempotency-Key',
      'Traceparent',
      '*',
    ],
    exposedHeaders: [
      'Mcp-Session-Id',
      'X-Request-Id',
      'Cache-Status',
      'WWW-Authenticate',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: preflightSeconds,
    strictPreflight: false,
  });
}
