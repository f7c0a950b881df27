import {
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, Refused } from './refusals.js';

/** Whether a posted body is of the revision without sessions, or claims to be. What claims nothing is not looked at closer. */
export function isModern({ headers }: FastifyRequest, body: unknown): boolean {
  const version = headerText(headers['mcp-protocol-version']);
  const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
  if (isKnown && !claimsModern(body)) return false;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...optional('mcpMethodHeader', headers['mcp-method']),
    ...optional('mcpNameHeader', headers['mcp-name']),
    body,
  });
  if (kind !== 'legacy') return true;
  if (isKnown) return false;
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  throw new Refused(400, invalidRequest, `Unsupported protocol version: ${version}. Supported are ${supported}.`);
}

function claimsModern(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(claimsModern);
  const meta = memberOf(memberOf(body, 'params'), '_meta');
  return memberOf(meta, PROTOCOL_VERSION_META_KEY) !== undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function optional<N extends string>(name: N, value: string | string[] | undefined) {
  const text = headerText(value);
  return text === undefined ? {} : { [name]: text };
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
