import type { FastifyRequest } from 'fastify';
import { hideHome } from '../../redact.js';
import type { Tool } from '../../toolbox.js';
import type { Principal } from '../access/principal.js';
import type { Service } from '../service.js';

/** A service in one line of the list. */
export async function summaryOf(service: Service): Promise<object> {
  const { id, name, ...facts } = factsOf(service);
  return { id, name, tools: await countTools(service), ...facts };
}

/** All that a client may know of a service: what it can do and how it is, but neither paths nor secrets. */
export async function detailsOf(service: Service, { principal }: FastifyRequest): Promise<object> {
  const { id, version, definition, notes, processes, probedAt, probeMs } = service;
  const at = encodeURIComponent(id);
  return {
    ...factsOf(service),
    version,
    source: definition.source.kind,
    isUploaded: definition.owner !== undefined,
    processes,
    ...(probedAt !== undefined && { probedAt: new Date(probedAt).toISOString() }),
    ...(probeMs !== undefined && { probeMs }),
    ...(mayManage(principal, service) && { notes: notes.map((note) => hideHome(note)) }),
    addresses: {
      mcp: `/api/v1/mcp/${at}`,
      stream: `/api/v1/stream/${at}`,
      tools: `/api/v1/services/${at}/tools`,
      health: `/api/v1/services/${at}/health`,
      openapi: `/api/v1/services/${at}/openapi.json`,
    },
    tools: await listedTools(service),
  };
}

function factsOf({ id, definition, description, state, reason, breaker }: Service) {
  const { name = id } = definition;
  return {
    id,
    name,
    ...(description !== undefined && { description }),
    status: state,
    ...(reason !== undefined && { reason: hideHome(reason) }),
    breaker,
  };
}

/** Sentences about what was found and is not served concern whoever can change that. */
function mayManage({ id, scopes }: Principal, { definition }: Service): boolean {
  return scopes.has('admin') || definition.owner === id;
}

/** A list of services is not held up by one of them. */
const longestListMs = 2000;

async function countTools(service: Service): Promise<number | null> {
  return (await listedTools(service))?.length ?? null;
}

/** A service that fails, or takes long to say what it can do, is described all the same; its status says how it is. */
async function listedTools({ toolbox }: Service): Promise<readonly Tool[] | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longestListMs, null);
  });
  const listed = toolbox.listTools().catch(() => null);
  try {
    return await Promise.race([listed, late]);
  } finally {
    clearTimeout(timer);
  }
}
