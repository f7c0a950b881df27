import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import type { GatewayParts } from '../parts.js';
import { type Authentication, createAuthentication } from './authentication.js';
import { registerCors } from './cors.js';
import { addGate } from './gate.js';
import { checkHostSettings, createHostCheck } from './hosts.js';
import type { KeyEntry } from './keys.js';
import { createRequestLimits, networkOf } from './limits.js';
import { challenge, registerMetadata, scopesToAskFor } from './metadata.js';
import type { OAuthOptions } from './oauth.js';
import type { Principal, Scope } from './principal.js';
import { maySee, seesAll } from './visible.js';

export interface AccessOptions {
  /** The same list as long as nothing has changed in it. */
  readonly keys: () => readonly KeyEntry[];
  readonly oauth: () => OAuthOptions | undefined;
}

/** Sets who asks, or refuses. Has to be the first area, so that nothing is answered before. */
export async function registerAccess(app: FastifyInstance, parts: GatewayParts, options: AccessOptions): Promise<void> {
  const { log } = parts;
  const { keys, oauth } = options;
  const settings = () => parts.settings;
  checkHostSettings(parts.settings);
  const hosts = createHostCheck({ settings, publicAddress: () => oauth()?.resource });
  const authenticate = createAuthentication({ keys, oauth, settings, log });
  const limits = createRequestLimits(settings);

  app.decorateRequest('principal');
  addGate(app, log, (request) => hosts.check(request.raw));
  await registerCors(app, hosts);
  addGate(app, log, (request, reply) => {
    const scope = scopeOf(request);
    const found = authenticate(request);
    const goOn = (known: Authentication) =>
      scope === 'open' ? welcome(request, reply, known) : admit(request, reply, scope, known);
    if (!(found instanceof Promise)) return goOn(found);
    // An address that is open to all stays so when nobody can say who asks.
    return found.then(goOn, (error: unknown) => (scope === 'open' ? goOn({ missing: '' }) : Promise.reject(error)));
  });
  registerMetadata(app, parts, oauth);

  /** Some open addresses tell more to those who are known. */
  function welcome(request: FastifyRequest, reply: FastifyReply, found: Authentication): void {
    request.principal = 'principal' in found ? found.principal : nobody;
    if ('principal' in found) limits.countPrincipal(found.principal, reply);
    else if ('refused' in found) limits.countFailure(request, reply);
    else limits.countAddress(request, reply);
  }

  function admit(request: FastifyRequest, reply: FastifyReply, scope: Scope, found: Authentication): void {
    if (!('principal' in found)) return refuse(request, reply, scope, found);
    const { principal } = found;
    request.principal = principal;
    limits.countPrincipal(principal, reply);
    if (!principal.scopes.has(scope)) {
      const sentence = `This needs the scope ${scope}, which the key or token does not have`;
      const wanted = scopesToAskFor(scope, principal);
      reply.header(
        'www-authenticate',
        challenge(request, oauth(), { scopes: wanted, error: 'insufficient_scope', sentence }),
      );
      throw new CallerError('NOT_ALLOWED', sentence);
    }
    refuseHidden(principal, scope, serviceIn(request.params));
  }

  /** Whoever sees some services hears of no other: not that it is there, and not that its name comes near. */
  function refuseHidden(principal: Principal, scope: Scope, service: string | undefined): void {
    if (service === undefined || seesAll(principal)) return;
    const isThere = scope !== 'call' || parts.services.has(service);
    if (isThere && maySee(principal, service)) return;
    throw new CallerError('UNKNOWN_SERVICE', `There is no service ${JSON.stringify(service.slice(0, 80))}`);
  }

  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: Scope,
    found: { readonly missing: string } | { readonly refused: string },
  ): never {
    request.principal = nobody;
    if ('missing' in found) {
      limits.countAddress(request, reply);
      reply.header('www-authenticate', challenge(request, oauth(), { scopes: [scope] }));
      throw new CallerError('NOT_AUTHENTICATED', found.missing);
    }
    limits.countFailure(request, reply);
    const { refused } = found;
    log.warn('somebody was not let in', { address: networkOf(request.ip), reason: refused, request: request.id });
    const problem = { scopes: [scope], error: 'invalid_token', sentence: refused } as const;
    reply.header('www-authenticate', challenge(request, oauth(), problem));
    throw new CallerError('NOT_AUTHENTICATED', refused);
  }
}

/** Who asks at an address that is open to all. */
const nobody: Principal = { id: 'nobody', name: 'nobody', scopes: new Set(), services: [] };

/** That there is nothing at an address is no secret: all addresses are in /openapi.json. */
function scopeOf(request: FastifyRequest): Scope | 'open' {
  return request.is404 ? 'open' : (request.routeOptions.config.scope ?? 'admin');
}

function serviceIn(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('service' in params)) return undefined;
  return typeof params.service === 'string' ? params.service : undefined;
}
