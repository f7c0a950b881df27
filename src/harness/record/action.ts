import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { CaseInput } from './writer.js';

/** What a case does, with the values as they were sent. */
export type Action = Pick<CaseInput, 'tool' | 'prompt' | 'resource' | 'list' | 'request'> & {
  readonly arguments?: JsonObject;
  readonly params?: JsonObject;
};

/** Requests that belong to the connection and not to what a server is for. */
const ofTheConnection: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
]);

const listOf: Readonly<Record<string, CaseInput['list']>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'templates',
  'prompts/list': 'prompts',
};

/** A request in the words of a suite; nothing of one that is no case. */
export function actionOf(method: string, params: JsonObject): Action | undefined {
  if (ofTheConnection.has(method)) return undefined;
  const { _meta, ...rest } = params;
  const { name, uri } = rest;
  const given = isJsonObject(rest.arguments) && Object.keys(rest.arguments).length > 0 && { arguments: rest.arguments };
  if (method === 'tools/call' && isName(name)) return { tool: name, ...given };
  if (method === 'prompts/get' && isName(name)) return { prompt: name, ...given };
  if (method === 'resources/read' && isName(uri)) return { resource: uri };
  if (Object.hasOwn(listOf, method)) return { list: listOf[method] };
  return method === '' ? undefined : { request: method, ...(Object.keys(rest).length > 0 && { params: rest }) };
}

/** What an action is of, and what that is called. */
export function subjectOf({ tool, prompt, resource, list, request }: Action): { what: string; name: string } {
  if (tool !== undefined) return { what: 'tool', name: tool };
  if (prompt !== undefined) return { what: 'prompt', name: prompt };
  if (resource !== undefined) return { what: 'resource', name: resource };
  return list === undefined ? { what: 'request', name: request ?? '' } : { what: 'list', name: list };
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
