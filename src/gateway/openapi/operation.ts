import type { JsonObject } from '../../toolbox.js';
import type { Scope } from '../access/principal.js';
import { ref, type schemas } from './schemas.js';

export type SchemaName = keyof typeof schemas;

/** One method of one address, as the tables of addresses have it. */
export interface Address {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope | 'open';
  /** Of the query and the headers; those of the path are found in it. */
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  /** What comes when all is well, by status. */
  readonly answers: Readonly<Record<number, Body>>;
  /** Of the answers when it is not. */
  readonly failure?: SchemaName;
}

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema?: JsonObject;
}

/** Content types with the forms of their bodies; nothing for an empty one. */
export type Body = Readonly<Record<string, JsonObject>>;

export function json(schema: SchemaName | JsonObject): Body {
  return { 'application/json': typeof schema === 'string' ? ref(schema) : schema };
}

export const events: Body = { 'text/event-stream': { type: 'string' } };
export const nothing: Body = {};

/** The addresses in the form of OpenAPI. */
export function pathsOf(addresses: readonly Address[], tag: string): Readonly<Record<string, JsonObject>> {
  const paths: Record<string, JsonObject> = {};
  for (const address of addresses) {
    paths[address.path] = { ...paths[address.path], [address.method]: operationOf(address, tag) };
  }
  return paths;
}

function operationOf(
  { id, summary, description, scope, body, answers, failure = 'Failure', ...rest }: Address,
  tag: string,
) {
  const asked = scope === 'open' ? 'Asks for no key.' : `Asks for the scope "${scope}".`;
  const parameters = [...pathParameters(rest.path), ...(rest.parameters ?? []).map(parameterOf)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, asked].filter(Boolean).join(' '),
    ...(scope === 'open' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { content: contentOf(body) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, 'Done.')])),
      default: responseOf(json(failure), 'It failed; the status and the code say why.'),
    },
  } satisfies JsonObject;
}

function pathParameters(path: string): JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return names.map((name) => ({ in: 'path', name, required: true, schema: { type: 'string' } }));
}

export function parameterOf({ schema = { type: 'string' }, ...parameter }: Parameter): JsonObject {
  return { ...parameter, schema };
}

export function responseOf(body: Body, description: string): JsonObject {
  return Object.keys(body).length === 0 ? { description } : { description, content: contentOf(body) };
}

function contentOf(body: Body): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([type, schema]) => [type, { schema }]));
}
