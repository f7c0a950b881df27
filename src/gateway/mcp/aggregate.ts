import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { Tool } from '../../toolbox.js';
import type { Principal } from '../access/principal.js';
import { maySee } from '../access/visible.js';
import type { GatewayParts } from '../parts.js';
import type { Service } from '../service.js';
import { aggregateName, type NamedTool, nameTools } from './aggregate-names.js';
import type { Endpoint } from './endpoint.js';

/** The tools of all services that the principal may see, as those of one. A service that cannot list its tools has none. */
export function createAggregate(parts: GatewayParts, principal: () => Principal): Endpoint {
  const { services, identity, log } = parts;
  let index: Index | undefined;

  return {
    service: undefined,
    identity,
    get instructions() {
      const ids = seen().map(({ id }) => id);
      return `The tools of ${ids.length} services, each named SERVICE__TOOL: ${ids.join(', ')}.`;
    },
    toolbox: {
      listTools: async () => [...(await tools()).values()].map(({ name, tool }): Tool => ({ ...tool, name })),
      async call(name, args, options) {
        const { service, tool } = plainlyNamed(name, seen()) ?? (await find(name));
        return services.get(service).toolbox.call(tool, args, options);
      },
    },
    async endSession(session) {
      await Promise.all(services.list().map((service) => service.endSession(session)));
    },
    forget() {
      index = undefined;
    },
  };

  function seen(): Service[] {
    const who = principal();
    const visible = services.list().filter(({ id }) => maySee(who, id));
    return visible.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async function find(name: string): Promise<{ readonly service: string; readonly tool: string }> {
    const known = await tools();
    const found = known.get(name);
    if (!found) throw unknownTool(name, [...known.keys()]);
    return { service: found.service, tool: found.tool.name };
  }

  function tools(): Promise<ReadonlyMap<string, NamedTool>> {
    const visible = seen();
    const sight = visible.map(({ id }) => id).join();
    if (index?.sight === sight && performance.now() < index.goodUntil) return index.tools;
    const lasts = { sight, goodUntil: Number.POSITIVE_INFINITY };
    const tools = list(visible, (forMs) => {
      lasts.goodUntil = Math.min(lasts.goodUntil, performance.now() + forMs);
    });
    index = Object.assign(lasts, { tools });
    return tools;
  }

  async function list(
    visible: readonly Service[],
    holdsOnly: (forMs: number) => void,
  ): Promise<ReadonlyMap<string, NamedTool>> {
    const lists = await Promise.all(
      visible.map(async ({ id, toolbox }) => {
        try {
          const listed = await withinTime(toolbox.listTools(), longestListMs);
          if (listed === undefined) holdsOnly(askAgainMs);
          return (listed ?? []).map((tool) => ({ service: id, tool }));
        } catch (error) {
          log.warn('the tools of a service are missing from the list of all', { service: id, error });
          holdsOnly(0);
          return [];
        }
      }),
    );
    return nameTools(lists.flat());
  }
}

interface Index {
  /** The services whose tools these are. */
  readonly sight: string;
  readonly tools: Promise<ReadonlyMap<string, NamedTool>>;
  goodUntil: number;
}

/** A service that is slow to say what it has holds up nobody who asks for all of them. */
const longestListMs = 2000;
/** A list that lacks such a service is made again after this. */
const askAgainMs = 2000;

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Most names say of which service they are, and a call of it waits for no other. */
function plainlyNamed(name: string, visible: readonly Service[]) {
  const [service = '', ...rest] = name.split('__');
  const tool = rest.join('__');
  if (tool === '' || aggregateName(service, tool) !== name) return undefined;
  return visible.some(({ id }) => id === service) ? { service, tool } : undefined;
}

function unknownTool(name: string, known: readonly string[]): CallerError {
  const meant = nearest(name, known);
  const hint = meant === undefined ? 'tools/list says what there is' : `did you mean ${meant}?`;
  return new CallerError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 200))}; ${hint}`);
}
