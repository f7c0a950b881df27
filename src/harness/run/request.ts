import { createKeptEvents, type EventType } from '../../keptevents.js';
import type { Exchange, RequestOptions, TestedServer } from '../../testedserver.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import { bounded } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { actionNames, type StepSpec } from '../suite/schema.js';

export type Action = (typeof actionNames)[number];

export interface Request {
  readonly method: string;
  readonly params: JsonObject;
}

const lists = {
  tools: { method: 'tools/list', items: 'tools' },
  resources: { method: 'resources/list', items: 'resources' },
  templates: { method: 'resources/templates/list', items: 'resourceTemplates' },
  prompts: { method: 'prompts/list', items: 'prompts' },
} as const;

const mostPages = 1000;

export function actionOf(step: StepSpec): Action {
  return actionNames.find((name) => step[name] !== undefined) ?? 'request';
}

/** What a step is about: the tool, the prompt, the URI, the list or the method, with its values where the request has them. */
export function targetOf(step: StepSpec, { params }: Pick<Request, 'params'> = { params: {} }): string {
  const action = actionOf(step);
  const sent = action === 'resource' ? params.uri : action === 'tool' || action === 'prompt' ? params.name : undefined;
  return String(sent ?? step[action]);
}

export function requestOf(step: StepSpec): Request {
  const given: JsonObject = step.arguments ?? {};
  if (step.tool !== undefined) return { method: 'tools/call', params: { name: step.tool, arguments: given } };
  if (step.prompt !== undefined) {
    const hasArguments = Object.keys(given).length > 0;
    return { method: 'prompts/get', params: { name: step.prompt, ...(hasArguments && { arguments: given }) } };
  }
  if (step.resource !== undefined) return { method: 'resources/read', params: { uri: step.resource } };
  if (step.list !== undefined) return { method: lists[step.list].method, params: {} };
  return { method: step.request ?? '', params: step.params ?? {} };
}

export interface Sent {
  readonly exchange: Exchange;
  /** What is wrong about the way that pages are given. */
  readonly finding?: Finding;
}

/** Sends the request; of a list, all pages. */
export async function send(
  server: TestedServer,
  step: StepSpec,
  { method, params }: Request,
  options: RequestOptions,
): Promise<Sent> {
  if (step.list !== undefined) return sendForAll(server, step.list, options);
  return { exchange: await server.request(method, params, options) };
}

/** All pages of a list, as one answer. */
export async function sendForAll(
  server: TestedServer,
  list: keyof typeof lists,
  options: RequestOptions,
): Promise<Sent> {
  const { method, items } = lists[list];
  const all: JsonValue[] = [];
  const kept = createKeptEvents();
  const leftOut = new Set<EventType>();
  const seen = new Set<string>();
  let ms = 0;
  for (let exchange = await server.request(method, {}, options); ; ) {
    ms += exchange.ms;
    for (const event of exchange.events) kept.keep(event);
    for (const type of [...(exchange.leftOut ?? []), ...kept.leftOut]) leftOut.add(type);
    const way = { events: kept.events, ms, ...(leftOut.size > 0 && { leftOut: [...leftOut] }) };
    if (exchange.outcome.kind !== 'result') return { exchange: { ...exchange, ...way } };
    const { result } = exchange.outcome;
    const page = result[items];
    if (!isArray(page)) return { exchange: { ...exchange, ...way } };
    all.push(...page);
    const cursor = result.nextCursor;
    const problem = problemOf(cursor, seen);
    if (typeof cursor !== 'string' || problem !== undefined) {
      const { nextCursor: _nextCursor, ...rest } = result;
      const whole: Exchange = { outcome: { kind: 'result', result: { ...rest, [items]: all } }, ...way };
      return problem === undefined ? { exchange: whole } : { exchange: whole, finding: wrongPage(problem, cursor) };
    }
    seen.add(cursor);
    exchange = await server.request(method, { cursor }, options);
  }
}

function problemOf(cursor: JsonValue | undefined, seen: ReadonlySet<string>): string | undefined {
  if (cursor === undefined) return undefined;
  if (typeof cursor !== 'string') return 'The nextCursor of a page is no text.';
  if (seen.has(cursor)) return 'The nextCursor of a page was given before: whoever follows it does not come to an end.';
  return seen.size < mostPages ? undefined : `There are more than ${mostPages} pages by nextCursor.`;
}

function wrongPage(message: string, cursor: JsonValue | undefined): Finding {
  return { kind: 'pages', message, ...(cursor !== undefined && { actual: bounded(cursor) }) };
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
