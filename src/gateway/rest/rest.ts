import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { Tool } from '../../toolbox.js';
import { maySee } from '../access/visible.js';
import type { GatewayParts } from '../parts.js';
import type { Service } from '../service.js';
import { argumentsOf } from './arguments.js';
import { answerLive, answerWhole } from './calling.js';
import { detailsOf, summaryOf } from './describe.js';

interface Named {
  readonly Params: { readonly service: string; readonly tool: string };
}

const config = { scope: 'call' } as const;

/** Services and their tools for programs that know nothing of MCP. */
export async function registerRest(app: FastifyInstance, parts: GatewayParts): Promise<void> {
  const { services } = parts;
  app.get('/api/v1/services', { config }, async ({ principal }) => {
    const visible = services.list().filter(({ id }) => maySee(principal, id));
    return { services: await Promise.all(visible.map(summaryOf)) };
  });
  app.get<Named>('/api/v1/services/:service', { config }, async (request) =>
    detailsOf(services.get(request.params.service), request),
  );
  app.get<Named>('/api/v1/services/:service/tools', { config }, async ({ params }) => ({
    tools: await services.get(params.service).toolbox.listTools(),
  }));
  app.get<Named>('/api/v1/services/:service/tools/:tool', { config }, async ({ params }) =>
    toolNamed(params.tool, services.get(params.service)),
  );
  await app.register(async (scope) => registerCall(scope, parts));
}

function registerCall(app: FastifyInstance, parts: GatewayParts): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: unknown, body: Buffer, done) => {
    try {
      done(null, parseArguments(body));
    } catch (error) {
      done(error instanceof CallerError ? error : new CallerError('INVALID_REQUEST', 'The body is not valid JSON'));
    }
  });
  app.post<Named>('/api/v1/services/:service/tools/:tool', { config }, async (request, reply) => {
    const { service: id, tool } = request.params;
    const asked = { service: parts.services.get(id), tool, args: argumentsOf(request.body, 'The body') };
    return wantsEvents(request) ? answerLive(asked, request, reply, parts) : answerWhole(asked, request, reply, parts);
  });
}

/** Nothing at all is no arguments. What is not UTF-8 would reach the tool as something else than was sent. */
function parseArguments(body: Buffer): unknown {
  if (!isUtf8(body)) throw new CallerError('INVALID_REQUEST', 'The body is not UTF-8');
  return body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
}

/** Only who asks for events and not for JSON gets them. */
function wantsEvents({ headers }: FastifyRequest): boolean {
  const accept = headers.accept?.toLowerCase() ?? '';
  return accept.includes('text/event-stream') && !accept.includes('application/json');
}

/** Looking for what was meant must not take long. */
const mostCompared = 500;
const longestCompared = 80;

async function toolNamed(name: string, { toolbox }: Service): Promise<Tool> {
  const tools = await toolbox.listTools();
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const names = tools.slice(0, mostCompared).map((tool) => tool.name);
  const near = nearest(name.slice(0, longestCompared), names);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  throw new CallerError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))}${hint}`);
}
