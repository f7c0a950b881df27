import type { FastifyRequest } from 'fastify';
import { serviceIdForm } from '../service.js';

/** The addresses that speak MCP: those that a token may be meant for, and that answer in JSON-RPC. */
const mcpForm = /^\/(?:mcp|sse|api\/v1\/(?:mcp|sse)\/([^/]+))$/;

/** The service that an address of MCP is of, or `all`; undefined where it is none. */
export function mcpAddress(path: string): { readonly service: string } | 'all' | undefined {
  const match = mcpForm.exec(path);
  if (!match) return undefined;
  const [, service] = match;
  if (service === undefined) return 'all';
  return serviceIdForm.test(service) ? { service } : undefined;
}

export function speaksJsonRpc(request: FastifyRequest): boolean {
  return /^\/(?:api\/v1\/)?(?:mcp|sse)(?:\/|$)/.test(request.routeOptions.url ?? '');
}

/** The public address of the gateway, without a slash at its end: as configured, or as this request reached it. */
export function publicAddress(request: FastifyRequest, configured: string | undefined): string {
  if (configured !== undefined) return withoutSlash(configured);
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.host?.toLowerCase()}`;
}

export function pathOf(request: FastifyRequest): string {
  return withoutSlash(request.url.split('?', 1)[0] ?? '');
}

export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}
