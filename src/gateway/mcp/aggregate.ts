import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { Tool } from '../../toolbox.js';
import type { Principal } from '../access/principal.js';
import { maySee } from '../access/visible.js';
import type { GatewayParts } from '../parts.js';
import type { Service } from '../service.js';
import { type NamedTool, nameTools } from './aggregate-names.js';
import type { Endpoint } from './endpoint.js';

/** The tools of all services that the principal may see, as those of one. A service that cannot list its tools has none. */
export function createAggregate(parts: GatewayParts, principal: () => Principal): Endpoint {
  const { services, identity, log } = parts;
  let index: { readonly sight: string; readonly tools: Promise<ReadonlyMap<string, NamedTool>> } | undefined;

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
        const known = await tools();
        const found = known.get(name);
        if (!found) throw unknownTool(name, [...known.keys()]);
        return services.get(found.service).toolbox.call(found.tool.name, args, options);
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

  function tools(): Promise<ReadonlyMap<string, NamedTool>> {
    const sight = sightOf(principal());
    if (index?.sight !== sight) index = { sight, tools: list() };
    return index.tools;
  }

  async function list(): Promise<ReadonlyMap<string, NamedTool>> {
    const lists = await Promise.all(
      seen().map(async ({ id, toolbox }) => {
        try {
          return (await toolbox.listTools()).map((tool) => ({ service: id, tool }));
        } catch (error) {
          log.warn('the tools of a service are missing from the list of all', { service: id, error });
          index = undefined;
          return [];
        }
      }),
    );
    return nameTools(lists.flat());
  }
}

/** The same for principals that see the same services. */
function sightOf({ scopes, services }: Principal): string {
  return JSON.stringify([scopes.has('admin'), services]);
}

function unknownTool(name: string, known: readonly string[]): CallerError {
  const meant = nearest(name, known);
  const hint = meant === undefined ? 'tools/list says what there is' : `did you mean ${meant}?`;
  return new CallerError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 200))}; ${hint}`);
}
