import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { type Action, actionOf, subjectOf } from './action.js';
import { createCaptures } from './captures.js';
import type { LeftOut } from './left-out.js';
import { listExpectation } from './lists.js';
import { type Answer, expectationOf } from './observed.js';
import { createPassing } from './passing.js';
import type { Recorded } from './recorded.js';
import { unsayable } from './unsayable.js';

export type Side = 'client' | 'server';

/** Hears what a client and a server say to each other. */
export interface Recorder {
  /** A message as it was parsed; whatever is none is passed over. */
  hear(from: Side, message: unknown, at?: Date): void;
  /** Requests that were answered so far, and are cases. */
  readonly exchanges: number;
  heard(): Heard;
}

export interface Heard {
  /** In the order in which they were asked. */
  readonly recorded: readonly Recorded[];
  readonly captured: ReturnType<typeof createCaptures<Recorded>>['all'];
  readonly leftOut: readonly LeftOut[];
  readonly server: { readonly name?: string; readonly version?: string; readonly capabilities: JsonObject };
}

interface Open {
  readonly action: Action;
  readonly order: number;
  readonly token: JsonValue | undefined;
  hasProgress: boolean;
  hasLogs: boolean;
  problem: string | undefined;
}

const mostCases = 1000;
const mostOpen = 1000;
const mostInputBytes = 64 * 1024;
const mostLeftOut = 1000;
const mostDeep = 50;
const asksThePerson: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage']);

export function createRecorder(environment: NodeJS.ProcessEnv): Recorder {
  const passingAt = createPassing(environment);
  const open = new Map<string, Open>();
  const introductions = new Set<string>();
  const recorded: Recorded[] = [];
  const leftOut: LeftOut[] = [];
  const lists = new Set<string>();
  const captures = createCaptures<Recorded>();
  let server: Heard['server'] = { capabilities: {} };
  let order = 0;

  return {
    get exchanges() {
      return recorded.length;
    },
    hear(from, message, at = new Date()) {
      for (const each of Array.isArray(message) ? message : [message]) {
        if (!isMessage(each)) continue;
        if (from === 'client') hearClient(each);
        else hearServer(each, at);
      }
    },
    heard() {
      const unanswered = [...open.values()].map(({ action, problem }) => {
        return { ...subjectOf(action), reason: problem ?? 'it was not answered' };
      });
      const inOrder = [...recorded].sort((one, other) => one.order - other.order);
      return { recorded: inOrder, captured: captures.all, leftOut: [...leftOut, ...unanswered], server };
    },
  };

  function hearClient(message: JsonObject): void {
    const { id, method } = message;
    if (typeof method !== 'string') return;
    const params = isJsonObject(message.params) ? message.params : {};
    if (method === 'notifications/cancelled') return hearCancelled(params);
    if (!isId(id)) return;
    if (method === 'initialize' || method === 'server/discover') introductions.add(keyOf(id));
    const action = actionOf(method, params);
    if (action === undefined) return;
    order += 1;
    const problem = problemOf(action, params);
    if (problem !== undefined) return leave(action, problem);
    if (action.list !== undefined) {
      if (lists.has(action.list) || params.cursor !== undefined) return;
      lists.add(action.list);
    }
    captures.noteInput([action.arguments ?? {}, action.params ?? {}, action.resource ?? null]);
    const token = isJsonObject(params._meta) ? params._meta.progressToken : undefined;
    open.set(keyOf(id), { action, order, token, hasProgress: false, hasLogs: false, problem: undefined });
  }

  function problemOf(action: Action, params: JsonObject): string | undefined {
    if (isDeeperThan(mostDeep, params)) return 'its input is nested too deeply';
    const bytes = JSON.stringify(params).length;
    if (bytes > mostInputBytes) return `its input has ${bytes} characters, more than a suite file should hold`;
    if (params.task !== undefined || /^tasks\//.test(action.request ?? '')) return 'it runs as a task';
    if (params.inputResponses !== undefined) return 'it asks the user';
    if (recorded.length + open.size >= mostCases) return `the suite has ${mostCases} cases already`;
    return open.size >= mostOpen ? 'too many requests were under way' : unsayable(params);
  }

  function hearCancelled({ requestId }: JsonObject): void {
    const cancelled = isId(requestId) ? open.get(keyOf(requestId)) : undefined;
    if (!cancelled || !isId(requestId)) return;
    open.delete(keyOf(requestId));
    leave(cancelled.action, 'it was cancelled');
  }

  function hearServer(message: JsonObject, at: Date): void {
    const { id, method } = message;
    if (typeof method === 'string') return hearSaid(method, isJsonObject(message.params) ? message.params : {});
    if (!isId(id)) return;
    const key = keyOf(id);
    if (introductions.delete(key) && isJsonObject(message.result)) server = introductionOf(message.result);
    const asked = open.get(key);
    if (!asked) return;
    open.delete(key);
    const answer = answerOf(message);
    const problem = asked.problem ?? (answer ? problemOfAnswer(answer) : 'its answer had no form that MCP knows');
    if (problem !== undefined || !answer) return leave(asked.action, problem ?? '');
    take(asked, answer, at);
  }

  function hearSaid(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') {
      for (const each of open.values()) {
        if (each.token !== undefined && each.token === params.progressToken) each.hasProgress = true;
      }
    } else if (method === 'notifications/message' && open.size === 1) {
      for (const each of open.values()) each.hasLogs = true;
    } else if (asksThePerson.has(method)) {
      for (const each of open.values()) each.problem = `it asks the user (${method})`;
    }
  }

  function take({ action, order: own, hasProgress, hasLogs }: Open, answer: Answer, at: Date): void {
    const listed = answer.kind === 'result' && action.list ? listExpectation(action.list, answer.result) : undefined;
    const expectation = action.list === undefined ? expectationOf([answer], passingAt(at)) : listed;
    const taken: Recorded = {
      action,
      order: own,
      answeredAfter: order,
      expectation: {
        ...expectation,
        ...(hasProgress && { progress: true as const }),
        ...(hasLogs && { logs: true as const }),
      },
    };
    recorded.push(taken);
    if (answer.kind === 'result' && action.list === undefined)
      captures.noteAnswer(taken, action.tool ?? subjectOf(action).what, answer.result);
  }

  function leave(action: Action, reason: string): void {
    if (leftOut.length < mostLeftOut) leftOut.push({ ...subjectOf(action), reason });
  }
}

function isDeeperThan(depth: number, value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each));
}

/** Numbers and texts are different ids. */
function keyOf(id: string | number): string {
  return JSON.stringify(id);
}

function isId(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isMessage(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function answerOf({ result, error }: JsonObject): Answer | undefined {
  if (isJsonObject(result)) return { kind: 'result', result };
  if (!isJsonObject(error) || typeof error.code !== 'number' || !Number.isSafeInteger(error.code)) return undefined;
  const message = typeof error.message === 'string' ? error.message : '';
  return { kind: 'error', error: { code: error.code, message } };
}

function problemOfAnswer(answer: Answer): string | undefined {
  if (answer.kind === 'error') return undefined;
  if (answer.result.resultType === 'input_required') return 'it asks the user';
  return isJsonObject(answer.result.task) ? 'it runs as a task' : undefined;
}

function introductionOf({ serverInfo, capabilities }: JsonObject): Heard['server'] {
  const { name, version } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof version === 'string' && { version }),
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}
