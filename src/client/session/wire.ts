import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { ExecutionError } from '../../errors.js';
import type { Exchange, NotificationEvent, Outcome, RequestOptions } from '../../testedserver.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import { logOf, type Notification, progressOf } from '../events.js';
import { closedReason, failureOf, serverFailed } from '../failures.js';
import type { Link } from '../link.js';
import type { Answering } from './asked.js';
import { type OpenRequest, openRequest } from './exchange.js';
import { type MetaOptions, metaIn, metaOf, tokenIn } from './meta.js';
import { malformed, outcomeOfAnswer, readFailedSend } from './outcomes.js';
import { createParamHeaders } from './param-headers.js';
import type { Redact } from './redacted.js';
import { createReplying } from './replying.js';

/** Requests and what comes of them, as they are on the line. */
export interface Wire {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Exchange>;
  listen(hear: (notification: NotificationEvent) => void): () => void;
  /** Whether the server forgot the session. */
  readonly isLost: boolean;
  readonly lateAnswers: number;
}

export interface WireOptions extends MetaOptions {
  readonly answering: Answering;
  readonly redact: Redact;
}

interface Sent extends Pick<OpenRequest, 'settle' | 'hear'> {
  readonly token: string;
  /** Where the end of the stream is how a server hears that a request was given up. */
  readonly stream?: AbortController;
  /** Sends it once more, with answers to what its result asked; false where that was done too often. */
  again(answers: JsonObject): boolean;
}

/** The SDK counts its own few from 0. */
const firstId = 1000;
const mostGivenUp = 10_000;
/** Streams that stay open for answers which come late. */
const mostWaitingStreams = 32;
/** How often one request is sent again with answers. */
const mostRounds = 10;
/** Before a request is sent again where nothing was asked: the server wants time. */
const pauseMs = 250;

export function createWire(link: Link, options: WireOptions): Wire {
  const { transport } = link;
  const { answering } = options;
  const tellServer = createReplying(link);
  const isModern = options.era === 'modern';
  const hasStreams = isModern && transport.hasPerRequestStream === true;
  const meta = metaOf(options);
  const headers = hasStreams ? createParamHeaders() : undefined;
  const underWay = new Map<number, Sent>();
  const byToken = new Map<string, Sent>();
  const givenUp = new Set<number>();
  /** Between a result that asks and the next try, during which nothing else is an answer. */
  const resting = new Set<number>();
  const waitingStreams: string[] = [];
  const listeners = new Set<(notification: NotificationEvent) => void>();
  let lastId = firstId;
  let lateAnswers = 0;
  let isLost = false;
  /** What came on some stream and could not be read: whose answer it was shows when one is missing. */
  let unreadable: Error | undefined;
  takeOver();

  return {
    request,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get isLost() {
      return isLost;
    },
    get lateAnswers() {
      return lateAnswers;
    },
  };

  /** From here on the SDK hears nothing but that the connection is over. */
  function takeOver(): void {
    const { onclose, onerror } = transport;
    transport.onmessage = take;
    transport.onclose = () => {
      onclose?.();
      for (const sent of [...underWay.values()]) sent.settle(failed(closedReason()));
    };
    transport.onerror = (error) => {
      onerror?.(error);
      unreadable = malformed(error) ?? unreadable;
    };
    link.onLost = (token, why) => {
      const sent = byToken.get(token);
      if (!sent) return;
      sent.settle(none(unreadable ?? serverFailed(`The answer of the MCP server was lost: ${why}`)));
      unreadable = undefined;
    };
  }

  function request(method: string, params: JsonObject, given: RequestOptions): Promise<Exchange> {
    let id = nextId();
    let rounds = 0;
    const token = tokenIn(params) ?? `call-${id - firstId}`;
    const open = openRequest(given, {
      onSettled() {
        underWay.delete(id);
        resting.delete(id);
        byToken.delete(token);
      },
      onGivenUp: (reason) => giveUp(id, token, reason),
    });
    if (open.isSettled) return open.exchange;
    const { settle } = open;
    const hear: Sent['hear'] = (event) =>
      open.hear(rounds > 0 && event.type === 'progress' ? { ...event, round: rounds } : event);
    const sent: Sent = { settle, hear, token, again, ...(hasStreams && { stream: new AbortController() }) };
    underWay.set(id, sent);
    byToken.set(token, sent);
    if (link.isOver) void settleWithEnd(sent);
    else send(id, method, params, sent);
    return open.exchange;

    function again(answers: JsonObject): boolean {
      rounds += 1;
      if (rounds > mostRounds) return false;
      const sendAgain = () => {
        if (open.isSettled) return;
        resting.delete(id);
        underWay.delete(id);
        id = nextId();
        underWay.set(id, sent);
        send(id, method, { ...params, ...answers }, sent);
      };
      resting.add(id);
      if (answers.inputResponses === undefined) setTimeout(sendAgain, pauseMs);
      else sendAgain();
      return true;
    }
  }

  function nextId(): number {
    lastId += 1;
    return lastId;
  }

  /** Why it is over is known only when all of it is gone. */
  async function settleWithEnd(sent: Sent): Promise<void> {
    if (!link.failure) await link.ended;
    sent.settle(failed(closedReason()));
  }

  function send(id: number, method: string, params: JsonObject, sent: Sent): void {
    const whole = { ...params, _meta: { ...meta, progressToken: sent.token, ...metaIn(params) } };
    const message = { jsonrpc: '2.0' as const, id, method, params: whole };
    transport
      .send(message, { requestSignal: sent.stream?.signal, headers: headers?.of(method, params) })
      .catch(async (error: unknown) => sent.settle(await outcomeOfFailedSend(error, id)));
  }

  async function outcomeOfFailedSend(error: unknown, id: number): Promise<Outcome> {
    const read = readFailedSend(error, id, (status) => link.isSessionLost?.(status) === true);
    if (read.kind === 'answered') return { kind: 'error', error: read.error };
    if (read.kind === 'malformed') {
      unreadable = undefined;
      return none(read.failure);
    }
    if (link.isOver && !link.failure) await link.ended;
    const failure = failureOf(error, link);
    if (read.kind === 'session lost') {
      isLost = true;
      void link.end(() => serverFailed('The MCP server forgot the session'));
    }
    return none(failure);
  }

  function giveUp(id: number, token: string, reason: string): void {
    const sent = underWay.get(id);
    if (!sent || link.isOver) return;
    if (sent.stream) {
      sent.stream.abort();
      link.giveUp?.(token);
      return;
    }
    if (givenUp.size < mostGivenUp) givenUp.add(id);
    if (waitingStreams.push(token) > mostWaitingStreams) link.giveUp?.(waitingStreams.shift() ?? '');
    tell('notifications/cancelled', { requestId: id, reason });
  }

  function tell(method: string, params: JsonObject): void {
    const whole = isModern ? { ...params, _meta: meta } : params;
    transport.send({ jsonrpc: '2.0', method, params: whole }).catch(() => {});
  }

  function take(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) answer(message.id, message.method, message.params);
      else hear(message);
      return;
    }
    if (message.id === undefined) return;
    link.answered?.(message.id);
    const id = Number(message.id);
    const sent = resting.has(id) ? undefined : underWay.get(id);
    if (!sent) {
      if (givenUp.delete(id) && 'result' in message) lateAnswers += 1;
      return;
    }
    const outcome = outcomeOfAnswer(message);
    if (outcome.kind === 'result') {
      headers?.learn(outcome.result);
      if (isModern && outcome.result.resultType === 'input_required' && answerAll(outcome.result, sent)) return;
    }
    sent.settle(outcome.kind === 'malformed' ? none(outcome.failure) : outcome);
  }

  /** Whether the request goes on with what was asked before there is a result. */
  function answerAll(result: JsonObject, sent: Sent): boolean {
    const { events, again } = answering.answerAll(result);
    for (const event of events) sent.hear(event);
    return again !== undefined && sent.again(again);
  }

  function hear(notification: Notification): void {
    if (notification.method === 'notifications/progress') {
      const progress = progressOf(notification);
      if (progress) byToken.get(String(progress.token))?.hear(progress.event);
    } else if (notification.method === 'notifications/message') {
      const event = logOf(notification);
      if (event) hearInAll(event);
    } else {
      const { method, params } = notification;
      const event: NotificationEvent = { type: 'notification', method, params: isJsonObject(params) ? params : {} };
      hearInAll(event);
      for (const listener of listeners) listener(event);
    }
  }

  /** Whose it is cannot be told, so it is everybody's. */
  function hearInAll(event: Parameters<OpenRequest['hear']>[0]): void {
    for (const sent of underWay.values()) sent.hear(event);
  }

  function answer(id: string | number, method: string, params: unknown): void {
    const { reply, event } = answering.answer(method, params);
    if (event) hearInAll(event);
    tellServer(id, reply);
  }

  function failed(error: Error): Outcome {
    return none(failureOf(link.failure?.() ?? error, link));
  }

  function none(error: Error): Outcome {
    const code = error instanceof ExecutionError ? error.code : 'SERVER_FAILED';
    return { kind: 'none', code, message: options.redact(error.message) };
  }
}
