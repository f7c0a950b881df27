import type { FetchLike, RequestId } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../toolbox.js';
import { watchBody } from './body.js';
import { fetchWithin } from './redirects.js';

/** Requests over HTTP that wait for their answers, each on a stream of its own. */
export interface HttpRequests {
  readonly fetch: FetchLike;
  answered(id: RequestId): void;
  /** Nobody reads the answer any more. */
  giveUp(token: string): void;
  /** The SDK does not come back to streams that ended. */
  giveUpEnded(): void;
}

export interface HttpRequestsOptions {
  readonly maxMessageBytes: number;
  /** Told of a request whose stream ended before its answer came. */
  readonly onLost: (token: string, why: string) => void;
}

interface Waiting {
  readonly id: RequestId;
  readonly token: string;
  readonly stream: AbortController;
  hasEnded: boolean;
}

const longestAnswerDelayMs = 100;
const resumable = /^id:/m;

/** The SDK waits for the answer of a stream that is gone until the time limit; here that is seen at once. */
export function createHttpRequests({ maxMessageBytes, onLost }: HttpRequestsOptions): HttpRequests {
  const waiting = new Map<RequestId, Waiting>();

  return {
    async fetch(url, init = {}) {
      const own = requestOf(init.body);
      if (!own) return bounded(await fetchWithin(url, init));
      waiting.set(own.id, own);
      try {
        const signals = [own.stream.signal, ...(init.signal ? [init.signal] : [])];
        const response = await fetchWithin(url, { ...init, signal: AbortSignal.any(signals) });
        if (!response.ok) waiting.delete(own.id);
        return bounded(response, own);
      } catch (error) {
        waiting.delete(own.id);
        throw error;
      }
    },
    answered(id) {
      waiting.delete(id);
    },
    giveUp(token) {
      for (const own of waiting.values()) {
        if (own.token !== token) continue;
        waiting.delete(own.id);
        own.stream.abort();
      }
    },
    giveUpEnded() {
      for (const own of waiting.values()) if (own.hasEnded) lose(own, 'its stream could not be resumed');
    },
  };

  function bounded(response: Response, own?: Waiting): Response {
    if (!response.ok || !response.body) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    let isResumable = false;
    const body = watchBody(response.body, {
      maxBytes: maxMessageBytes,
      isLines: isStream,
      onChunk(chunk) {
        if (own && isStream && !isResumable) isResumable = resumable.test(Buffer.from(chunk).toString('latin1'));
      },
      onEnd(problem) {
        if (!own) return;
        own.hasEnded = true;
        // What was read last is still on its way through the SDK.
        const look = () => lose(own, problem ?? 'the connection ended before it answered');
        if (!isResumable || problem !== undefined) setTimeout(look, longestAnswerDelayMs).unref();
      },
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }

  function lose(own: Waiting, why: string): void {
    if (waiting.delete(own.id)) onLost(own.token, why);
  }
}

/** Only calls carry a token. */
function requestOf(body: unknown): Waiting | undefined {
  if (typeof body !== 'string' || !body.includes('"progressToken"')) return undefined;
  const message: unknown = JSON.parse(body);
  if (!isJsonObject(message) || !isJsonObject(message.params) || !isJsonObject(message.params._meta)) return undefined;
  const { id } = message;
  const { progressToken: token } = message.params._meta;
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof token !== 'string') return undefined;
  return { id, token, stream: new AbortController(), hasEnded: false };
}
