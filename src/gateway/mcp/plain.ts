import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HostError } from '../../errors.js';
import { type Checked, checkMessage, type Refusal } from '../../server/messages.js';
import { openWhenLate } from '../http/late.js';
import type { EventStream, GatewayParts } from '../parts.js';
import { type Asking, readAsking } from './asking.js';
import type { CallScene } from './calls.js';
import type { Desk } from './desks.js';
import type { Answer, AskOptions } from './exchange.js';
import type { HeldSessions } from './held-sessions.js';
import { busyAnswer, invalidRequest, parseError, Refused } from './refusals.js';

export interface PlainOptions {
  readonly parts: GatewayParts;
  readonly desk: Desk;
  readonly sessions: HeldSessions;
}

const mostInBatch = 100;
/** Requests that set up the connection they come on; here there is none, and one of its own is set up for nobody else. */
const settingUp: ReadonlySet<string> = new Set(['initialize', 'logging/setLevel']);

/** Answers messages that are of no session: those of clients that know JSON-RPC and nothing of MCP, and of stateless ones. */
export async function answerPlain(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
  options: PlainOptions,
): Promise<void> {
  const messages = messagesIn(body);
  const asking = readAsking(request, reply, 'json-rpc');
  const isBatch = Array.isArray(body);
  const [first] = messages;
  if (!isBatch && first?.kind === 'refused') {
    const isMalformed = [parseError, invalidRequest].includes(first.refusal.error.code);
    await reply.code(isMalformed ? 400 : 200).send(first.refusal);
    return;
  }
  if (!messages.some(isAnswered)) {
    await reply.code(202).send();
    return;
  }
  if (wantsEvents(request, messages)) await answerByEvents(request, reply, messages, asking, options);
  else await answerAtOnce(request, reply, messages, asking, options);
}

async function answerAtOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  messages: readonly Checked[],
  asking: Asking,
  { parts, desk, sessions }: PlainOptions,
): Promise<void> {
  const signal = parts.connections.gone(reply.raw);
  const scene = sceneAt(desk, sessions, asking);
  const isBatch = Array.isArray(request.body);
  const answers = Promise.all(messages.filter(isAnswered).map((message) => answer(message, desk, { scene, signal })));
  const late = await openWhenLate(parts, request, reply, answers, 'mcp');
  if (late) return sendLate(answers, late);
  const told = (await answers).filter((each) => each !== undefined);
  if (signal.aborted) {
    reply.hijack();
    return;
  }
  if (told.length === 0) throw new HostError('UNAVAILABLE', 'What would have answered was ended meanwhile');
  const text = JSON.stringify(isBatch ? told : told[0]);
  const busy = isBatch ? undefined : busyAnswer(asking.failure);
  if (busy) reply.code(busy.status).headers(busy.headers);
  parts.metrics.sent('json', Buffer.byteLength(text));
  await reply.type('application/json').send(text);
}

async function sendLate(
  answers: Promise<readonly (Answer | Refusal | undefined)[]>,
  stream: EventStream,
): Promise<void> {
  try {
    for (const each of await answers) if (each) await sendTo(stream, each);
  } finally {
    stream.close();
  }
}

async function answerByEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  messages: readonly Checked[],
  asking: Asking,
  { parts, desk, sessions }: PlainOptions,
): Promise<void> {
  const stream = parts.connections.open(request, reply, { kind: 'mcp' });
  const scene = sceneAt(desk, sessions, asking);
  const onNotification = (notification: object) => sendTo(stream, notification);
  try {
    await Promise.all(
      messages.filter(isAnswered).map(async (message) => {
        const found = await answer(message, desk, { scene, signal: stream.closed, onNotification });
        if (found) await sendTo(stream, found);
      }),
    );
  } finally {
    stream.close();
  }
}

function sendTo(stream: EventStream, message: object): Promise<void> | undefined {
  return stream.send({ event: 'message', data: JSON.stringify(message) });
}

async function answer(message: Answered, desk: Desk, options: AskOptions): Promise<Answer | Refusal | undefined> {
  if (message.kind === 'refused') return message.refusal;
  if (!settingUp.has(message.message.method)) return desk.exchange.ask(message.message, options);
  const apart = desk.createExchangeApart();
  try {
    return await apart.ask(message.message, options);
  } finally {
    await apart.close();
  }
}

function sceneAt({ endpoint }: Desk, sessions: HeldSessions, asking: Asking): CallScene {
  return { endpoint, asking, hold: (meta, callId) => sessions.hold(endpoint, asking.principal, meta, callId) };
}

function messagesIn(body: unknown): readonly Checked[] {
  if (!Array.isArray(body)) return [checkMessage(body)];
  if (body.length === 0) throw new Refused(400, invalidRequest, 'The batch is empty.');
  if (body.length <= mostInBatch) return body.map(checkMessage);
  throw new Refused(400, invalidRequest, `The batch has ${body.length} messages, and ${mostInBatch} are the most.`);
}

type Answered = Extract<Checked, { kind: 'request' | 'refused' }>;

function isAnswered(message: Checked): message is Answered {
  return message.kind === 'request' || message.kind === 'refused';
}

/** Events are for whoever takes nothing else, or takes them and asked to be told of progress. */
function wantsEvents({ headers }: FastifyRequest, messages: readonly Checked[]): boolean {
  const { accept } = headers;
  if (accept === undefined || !accept.includes('text/event-stream')) return false;
  if (!accept.includes('application/json') && !accept.includes('*/*')) return true;
  return messages.some((message) => message.kind === 'request' && hasProgressToken(message.message));
}

function hasProgressToken({ params }: JSONRPCRequest): boolean {
  return params?._meta?.progressToken !== undefined;
}
