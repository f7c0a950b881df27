import type { AskEvent, ClientSide, QuestionKind, Reply } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';

/** What the server asks of this side, and what it is told. */
export interface Answering {
  /** Methods of all that was asked, in their order. */
  readonly asked: readonly string[];
  /** To a request of the server. */
  answer(method: string, params: unknown): { readonly reply: Reply; readonly event?: AskEvent };
  /** To a result of the newer revision that asks. */
  answerAll(result: JsonObject): Answered;
}

export interface Answered {
  readonly events: readonly AskEvent[];
  /** What the request is sent again with; nothing where there is no answer to one of the questions. */
  readonly again?: JsonObject;
}

const mostAsked = 1000;
const longestMethod = 200;
const methodNotFound: Reply = { error: { code: -32601, message: 'Method not found' } };
const otherMode: Reply = { error: { code: -32602, message: 'The client declared no elicitation of this mode' } };

/** Without a client nobody is there to be asked, and everything is refused. */
export function createAnswering({ replies }: ClientSide = { capabilities: {}, replies: {} }): Answering {
  const asked: string[] = [];
  const given = new Map<QuestionKind, number>();
  return {
    asked,
    answer(method, said) {
      if (method === 'ping') return { reply: { result: {} } };
      note(method);
      const params = isJsonObject(said) ? said : {};
      const reply = nextReply(method, params) ?? refusal(method);
      return { reply, event: { type: 'ask', method, params, by: 'request', answer: answerIn(reply) } };
    },
    answerAll(result) {
      const { inputRequests = {}, requestState } = result;
      const questions = questionsIn(inputRequests);
      for (const { method } of questions) note(method);
      const before = new Map(given);
      const answers = questions.map(({ method, params }) => nextReply(method, params));
      const responses = questions.flatMap(({ key }, index) => {
        const reply = answers[index];
        return reply && 'result' in reply ? [[key, reply.result] as const] : [];
      });
      const isComplete = isJsonObject(inputRequests) && responses.length === Object.keys(inputRequests).length;
      const isEmpty = responses.length === 0 && requestState === undefined;
      const isSent = isComplete && !isEmpty;
      // What nobody is told is still to be told.
      if (answers.includes(undefined)) for (const kind of given.keys()) given.set(kind, before.get(kind) ?? 0);
      const events = questions.map(({ method, params }, index): AskEvent => {
        const reply = answers[index];
        const isTold = reply && (isSent || 'error' in reply);
        return { type: 'ask', method, params, by: 'result', ...(isTold && { answer: answerIn(reply) }) };
      });
      if (!isSent) return { events };
      const again = {
        ...(responses.length > 0 && { inputResponses: Object.fromEntries(responses) }),
        ...(requestState !== undefined && { requestState }),
      };
      return { events, again };
    },
  };

  function nextReply(method: string, params: JsonObject): Reply | undefined {
    const kind = kindOf(method, params);
    const known = kind && replies[kind];
    if (!known) return undefined;
    const number = given.get(kind) ?? 0;
    given.set(kind, number + 1);
    return known[Math.min(number, known.length - 1)];
  }

  function refusal(method: string): Reply {
    const declaresOther = replies.elicitation !== undefined || replies['url elicitation'] !== undefined;
    return method === 'elicitation/create' && declaresOther ? otherMode : methodNotFound;
  }

  function note(method: string): void {
    if (asked.length < mostAsked) asked.push(method.slice(0, longestMethod));
  }
}

function kindOf(method: string, { mode }: JsonObject): QuestionKind | undefined {
  if (method === 'roots/list') return 'roots';
  if (method === 'sampling/createMessage') return 'sampling';
  if (method !== 'elicitation/create') return undefined;
  return mode === 'url' ? 'url elicitation' : 'elicitation';
}

function answerIn(reply: Reply): JsonObject {
  return 'result' in reply ? reply.result : { error: { ...reply.error } };
}

interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

function questionsIn(inputRequests: JsonValue): readonly Question[] {
  if (!isJsonObject(inputRequests)) return [];
  return Object.entries(inputRequests).flatMap(([key, asked]) =>
    isJsonObject(asked) && typeof asked.method === 'string'
      ? [{ key, method: asked.method, params: isJsonObject(asked.params) ? asked.params : {} }]
      : [],
  );
}
