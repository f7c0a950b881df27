import { randomBytes } from 'node:crypto';
import { CallerError, HostError } from '../../errors.js';
import { onceAnswered } from '../last-answers.js';
import type { GatewayParts } from '../parts.js';
import { type Channel, createChannel } from './channel.js';
import type { RpcId } from './message.js';

/** One client's stream of one service. */
export interface OpenStream {
  readonly id: string;
  readonly service: string;
  readonly client: string;
  /** It takes one request, and closes after the answer. */
  readonly isOnce: boolean;
  readonly channel: Channel;
  /** What is under way, by the id of its request. */
  readonly calls: Map<RpcId, AbortController>;
}

export type StreamOwner = Pick<OpenStream, 'service' | 'client'>;

export interface StreamRegistry {
  /** Room for one more of this client, with an id that nobody can guess. */
  create(owner: StreamOwner & Pick<OpenStream, 'isOnce'>): OpenStream;
  /** Throws where there is none of that id, or it is another client's or of another service. */
  find(id: string, owner: StreamOwner): OpenStream;
  /** From when it is listened to, until it is not. */
  heard(stream: OpenStream): void;
  end(stream: OpenStream): void;
}

/** Calls go on for this long without anybody to hear of them, so that a broken connection costs none. */
const longestAloneMs = 30_000;
/** What all streams of a client may keep together, in full buffers. */
const fullBuffersPerClient = 64;

export function createStreamRegistry(parts: GatewayParts, onEnd: (stream: OpenStream) => void): StreamRegistry {
  const streams = new Map<string, OpenStream>();
  const streamsOf = new Map<string, Set<OpenStream>>();
  const timers = new Map<OpenStream, NodeJS.Timeout>();
  const stopListening = onceAnswered(parts.services, (id) => {
    if (!parts.services.has(id)) for (const stream of streams.values()) if (stream.service === id) end(stream);
  });
  parts.closing.addEventListener('abort', () => {
    stopListening();
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  });

  return {
    create({ service, client, isOnce }) {
      if (parts.closing.aborted) throw new HostError('UNAVAILABLE', 'The gateway is shutting down');
      makeRoomFor(client);
      const id = randomBytes(18).toString('base64url');
      const channel = createChannel({ id, maxBytes: () => shareOf(client), onAlone: () => leftAlone(stream) });
      const stream: OpenStream = { id, service, client, isOnce, channel, calls: new Map() };
      streams.set(id, stream);
      streamsOf.set(client, (streamsOf.get(client) ?? new Set()).add(stream));
      return stream;
    },
    find(id, { service, client }) {
      const stream = streams.get(id);
      if (stream?.client === client && stream.service === service) return stream;
      const message = `There is no stream ${JSON.stringify(id.slice(0, 80))} of service ${service}, or it was forgotten; open one with GET /api/v1/stream/${service}`;
      throw new CallerError('UNKNOWN_SERVICE', message);
    },
    heard: stopWaiting,
    end,
  };

  function makeRoomFor(client: string): void {
    const own = [...(streamsOf.get(client) ?? [])];
    const { maxStreamsPerClient } = parts.settings;
    if (own.length < maxStreamsPerClient) return;
    const forgettable = own.find(({ channel, calls }) => !channel.hasListener && calls.size === 0);
    if (forgettable) return end(forgettable);
    const message = `${own.length} streams of this client are open, and maxStreamsPerClient permits no more`;
    throw new CallerError('TOO_MANY_REQUESTS', message, { limit: maxStreamsPerClient });
  }

  function shareOf(client: string): number {
    const count = streamsOf.get(client)?.size ?? 1;
    return Math.floor(parts.settings.eventBufferBytes * Math.min(1, fullBuffersPerClient / count));
  }

  function leftAlone(stream: OpenStream): void {
    if (!streams.has(stream.id) || parts.closing.aborted) return;
    if (parts.admission?.mayReturn(stream.client) === false) return end(stream);
    const { streamIdleMs } = parts.settings;
    const aloneMs = Math.min(streamIdleMs, longestAloneMs);
    wait(stream, aloneMs, () => {
      for (const call of stream.calls.values()) call.abort();
      wait(stream, streamIdleMs - aloneMs, () => end(stream));
    });
  }

  function wait(stream: OpenStream, ms: number, then: () => void): void {
    stopWaiting(stream);
    timers.set(stream, setTimeout(then, ms).unref());
  }

  function stopWaiting(stream: OpenStream): void {
    clearTimeout(timers.get(stream));
    timers.delete(stream);
  }

  function end(stream: OpenStream): void {
    if (!streams.delete(stream.id)) return;
    stopWaiting(stream);
    const own = streamsOf.get(stream.client);
    own?.delete(stream);
    if (own?.size === 0) streamsOf.delete(stream.client);
    for (const call of stream.calls.values()) call.abort();
    stream.channel.end();
    onEnd(stream);
  }
}
