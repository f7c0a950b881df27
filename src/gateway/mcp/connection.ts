import type { ServerContext } from '@modelcontextprotocol/server';
import type { Connection } from '../../server/connection.js';
import type { ResultStore } from '../../server/store.js';
import type { GatewayParts } from '../parts.js';
import { type CallScene, callsOf } from './calls.js';
import type { Endpoint } from './endpoint.js';

/** An address as the connection that the MCP server is made for. */
export function connectionTo(
  endpoint: Endpoint,
  store: ResultStore,
  { previewBytes, log }: GatewayParts,
  sceneOf: (context: ServerContext) => CallScene | undefined,
): Connection {
  const { identity, instructions, toolbox } = endpoint;
  const { listTools } = toolbox;
  return {
    toolbox: { listTools, call: () => Promise.reject(new Error('There is no call without a request')), close },
    toolboxOf(context) {
      const scene = sceneOf(context);
      if (scene) return callsOf(scene, context);
      throw new Error('The request of a call is not known');
    },
    identity,
    ...(instructions !== undefined && { instructions }),
    session: '',
    store,
    previewBytes,
    log,
  };
}

async function close(): Promise<void> {}
