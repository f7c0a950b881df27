import type { JsonObject, JsonSchema, Tool } from '../../toolbox.js';
import type { Service } from '../service.js';
import { callHeaders } from './call-addresses.js';
import { documentHead, securitySchemes } from './document.js';
import { embedSchema } from './embedded-schema.js';
import { events, json, parameterOf, responseOf } from './operation.js';
import { ref, schemas } from './schemas.js';

/** The tools of a service, each as an address of its own with the forms of its arguments and its result. */
export async function serviceDocument({ id, definition, version, description, toolbox }: Service): Promise<JsonObject> {
  const tools = await toolbox.listTools();
  const names = createNames(Object.keys(schemas));
  const paths: Record<string, JsonObject> = {};
  const forms: Record<string, JsonSchema> = {};
  const keep = (name: string, schema: JsonSchema): JsonObject => {
    const key = names.next(name);
    const { $ref: place } = ref(key);
    forms[key] = embedSchema(schema, place);
    return { $ref: place };
  };
  const operations = createNames([]);
  for (const tool of tools) {
    const path = `/api/v1/services/${encodeURIComponent(id)}/tools/${encodeURIComponent(wellFormed(tool.name))}`;
    paths[path] = { post: operationOf(tool, operations.next(tool.name), keep) };
  }
  return {
    ...documentHead({ name: definition.name ?? id, version }, description ?? `The tools of ${id}.`),
    paths,
    components: { schemas: { ...schemas, ...forms }, parameters: headers, securitySchemes },
  };
}

const headers = Object.fromEntries(callHeaders.map((header) => [header.name, parameterOf(header)]));

type Keep = (name: string, schema: JsonSchema) => JsonObject;

function operationOf({ name, title, description, inputSchema, outputSchema }: Tool, operationId: string, keep: Keep) {
  const required = Array.isArray(inputSchema.required) && inputSchema.required.length > 0;
  return {
    operationId,
    summary: title ?? name,
    ...(description !== undefined && { description }),
    parameters: callHeaders.map((header) => ({ $ref: `#/components/parameters/${header.name}` })),
    requestBody: { required, content: { 'application/json': { schema: keep(`${name}.arguments`, inputSchema) } } },
    responses: {
      200: responseOf({ ...json(answerForm(name, outputSchema, keep)), ...events }, 'What the tool gave.'),
      default: responseOf(json('FailedCall'), 'The tool failed, or was not called; the code says why.'),
    },
  } satisfies JsonObject;
}

function answerForm(name: string, outputSchema: JsonSchema | undefined, keep: Keep): JsonObject {
  if (outputSchema === undefined) return ref('Answer');
  const structuredContent = keep(`${name}.result`, outputSchema);
  const properties = { ...schemas.Answer.properties, structuredContent };
  return { type: 'object', required: ['content', 'structuredContent'], properties };
}

/** Half a character cannot stand in an address. */
function wellFormed(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\u{fffd}');
}

/** Names with only the characters that a document may use as a key, each given once. */
function createNames(taken: readonly string[]) {
  const used = new Set(taken);
  const counts = new Map<string, number>();
  return {
    next(wanted: string): string {
      const plain = wanted.replace(/[^A-Za-z0-9._-]/g, '_') || '_';
      let name = plain;
      let count = counts.get(plain) ?? 1;
      while (used.has(name)) name = `${plain}_${++count}`;
      counts.set(plain, count);
      used.add(name);
      return name;
    },
  };
}
