import type { Implementation } from '@modelcontextprotocol/server';
import type { GatewayParts } from '../parts.js';
import type { ServedToolbox } from '../service.js';

/** What one MCP address serves to one client. */
export interface Endpoint {
  /** The id of its service; nothing for the address of all of them. */
  readonly service: string | undefined;
  readonly identity: Implementation;
  readonly instructions: string | undefined;
  readonly toolbox: ServedToolbox;
  endSession(session: string): Promise<void>;
  /** Services came, went or have other tools: nothing that was known of them holds any more. */
  forget(): void;
}

/** A service by its id, so that whoever holds this meets the new version once the service was replaced. */
export function createServiceEndpoint({ services }: GatewayParts, id: string): Endpoint {
  return {
    service: id,
    get identity() {
      const { version, definition } = services.get(id);
      return { name: id, version, ...(definition.name !== undefined && { title: definition.name }) };
    },
    get instructions() {
      const { description, definition } = services.get(id);
      return description ?? definition.description;
    },
    toolbox: {
      listTools: async () => services.get(id).toolbox.listTools(),
      call: async (name, args, options) => services.get(id).toolbox.call(name, args, options),
    },
    endSession: async (session) => {
      if (services.has(id)) await services.get(id).endSession(session);
    },
    forget() {},
  };
}
