import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConnectionKind, EventStream, GatewayParts } from '../parts.js';

/**
 * Where an answer takes longer than a heartbeat and the client takes events: a stream, whose heartbeats keep the connection,
 * and on which the answer is sent as an event once it is there.
 */
export async function openWhenLate(
  { connections, settings }: Pick<GatewayParts, 'connections' | 'settings'>,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Promise<unknown>,
  kind: ConnectionKind,
): Promise<EventStream | undefined> {
  const takesEvents = request.headers.accept?.includes('text/event-stream') === true;
  if (!takesEvents || (await isThereWithin(answer, settings.heartbeatMs))) return undefined;
  try {
    return connections.open(request, reply, { kind });
  } catch {
    // The client has all the streams it may have: this answer comes when it comes.
    return undefined;
  }
}

/** Never rejects: on an open stream there is nobody to tell of an answer that cannot be read. */
export async function sendLate(response: Response, stream: EventStream): Promise<void> {
  try {
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) await pass(response, stream);
    else await stream.send({ event: 'message', data: await response.text() });
  } catch {
    // Whoever made the answer has ended it.
  } finally {
    stream.close();
  }
}

async function pass({ body }: Response, stream: EventStream): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => {});
  stream.closed.addEventListener('abort', cancel, { once: true });
  if (stream.closed.aborted) cancel();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    await stream.write(decoder.decode(next.value, { stream: true }));
  }
}

async function isThereWithin(answer: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isThere = () => true;
  try {
    return await Promise.race([answer.then(isThere, isThere), late]);
  } finally {
    clearTimeout(timer);
  }
}
