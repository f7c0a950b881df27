import type { Server } from '@modelcontextprotocol/server';
import type { Log } from '../log.js';

/** A person may take long; whoever asked gives up earlier by the signal. */
const longestMs = 24 * 60 * 60 * 1000;

/** The person's yes or no, by the client. Nothing where the client cannot ask: it has to know elicitation, of 2025. */
export async function askPerson(
  server: Server | undefined,
  message: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log?: Log },
): Promise<boolean | undefined> {
  if (server?.getClientCapabilities()?.elicitation === undefined) return undefined;
  // Nothing has to be filled in: to accept is a yes.
  const params = { message, requestedSchema: { type: 'object' as const, properties: {} } };
  try {
    const { action } = await server.request({ method: 'elicitation/create', params }, { signal, timeout: longestMs });
    return action === 'accept';
  } catch (error) {
    if (!signal.aborted) log?.warn('the client did not ask the person', { error });
    return false;
  }
}
