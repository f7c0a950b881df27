import { isIP, isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import type { GatewaySettings } from '../settings.js';
import type { Principal } from './principal.js';
import { createRateLimiter, type RateLimiter } from './rate-limit.js';

export interface RequestLimits {
  /** Throws TOO_MANY_REQUESTS where the principal has asked too often. */
  countPrincipal(principal: Principal, reply: FastifyReply): void;
  /** The same for requests that prove nothing, by the address that they come from. */
  countAddress(request: FastifyRequest, reply: FastifyReply): void;
  /** The same for wrong keys and tokens, of which few are honest. */
  countFailure(request: FastifyRequest, reply: FastifyReply): void;
}

const requestWindowMs = 10_000;
const failureWindowMs = 60_000;
const failuresPerWindow = 20;

export function createRequestLimits(settings: () => GatewaySettings): RequestLimits {
  const principals = createRateLimiter({ windowMs: requestWindowMs });
  const addresses = createRateLimiter({ windowMs: requestWindowMs });
  const failures = createRateLimiter({ windowMs: failureWindowMs });
  const perWindow = (perSecond: number) => (perSecond * requestWindowMs) / 1000;

  return {
    countPrincipal({ id, quotas }, reply) {
      const quota = perWindow(quotas?.requestsPerSecond ?? settings().requestsPerSecond);
      count({ limiter: principals, client: id, quota, windowMs: requestWindowMs, reply });
    },
    countAddress(request, reply) {
      const quota = perWindow(settings().requestsPerSecond);
      count({ limiter: addresses, client: networkOf(request.ip), quota, windowMs: requestWindowMs, reply });
    },
    countFailure(request, reply) {
      const client = networkOf(request.ip);
      count({ limiter: failures, client, quota: failuresPerWindow, windowMs: failureWindowMs, reply });
    },
  };
}

interface Count {
  readonly limiter: RateLimiter;
  readonly client: string;
  readonly quota: number;
  readonly windowMs: number;
  readonly reply: FastifyReply;
}

function count({ limiter, client, quota, windowMs, reply }: Count): void {
  const waitMs = limiter.take(client, quota);
  if (waitMs === undefined) return;
  const seconds = Math.ceil(waitMs / 1000);
  reply.header('ratelimit-policy', `"requests";q=${Math.floor(quota)};w=${windowMs / 1000}`);
  reply.header('ratelimit', `"requests";r=0;t=${seconds}`);
  const message = `More than ${Math.floor(quota)} requests in ${windowMs / 1000} s; there is room for the next in ${seconds} s`;
  throw new CallerError('TOO_MANY_REQUESTS', message, { retryAfterMs: waitMs, limit: quota });
}

/** One customer has a whole /64 of IPv6 addresses. What a proxy passes on as an address may be anything. */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined || isIP(ip) === 0) return 'unknown';
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return isIPv6(ip) ? firstGroups(ip) : ip;
}

function firstGroups(ip: string): string {
  const [head = '', tail] = ip.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return `${[...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':')}::/64`;
}
