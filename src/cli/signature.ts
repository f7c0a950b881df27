import type { ManifestTool } from '../manifest/manifest.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../toolbox.js';

const longestDefault = 24;
const mostChoices = 5;

/** A tool as one would write a function: `total(order: Order, currency?: string = "EUR") -> number`. */
export function signatureOf({ name, inputSchema, outputSchema, resultKey }: ManifestTool): string {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const parameters = Object.entries(objectAt(inputSchema, 'properties')).map(([parameter, schema]) => {
    const mark = required.includes(parameter) ? '' : '?';
    return `${parameter}${mark}: ${typeOf(schema)}${defaultOf(schema)}`;
  });
  const more = inputSchema.additionalProperties;
  if (more !== undefined && more !== false) parameters.push(`**${more === true ? 'any' : typeOf(more)}`);
  const returned = resultKey === undefined ? outputSchema : objectAt(outputSchema ?? {}, 'properties')[resultKey];
  return `${name}(${parameters.join(', ')})${returned === undefined ? '' : ` -> ${typeOf(returned)}`}`;
}

/** The type that a schema describes, in few words. */
export function typeOf(schema: JsonValue): string {
  if (!isJsonObject(schema)) return 'any';
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'any';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return choicesOf(schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return [...new Set(options.map(typeOf))].join(' | ');
  if (typeof schema.format === 'string') return schema.format;
  if (schema.contentEncoding === 'base64') return 'base64';
  const { type } = schema;
  if (isNumberInWords(schema)) return String(schema.type[0]);
  if (Array.isArray(type)) return [...new Set(type)].join(' | ');
  if (type === 'array') return arrayOf(schema);
  if (type === 'object') return mappingOf(schema);
  return typeof type === 'string' ? type : 'any';
}

/** A number that is given as text where JSON cannot say it (NaN, very many digits) is a number to whoever reads this. */
function isNumberInWords(schema: JsonObject): schema is JsonObject & { type: readonly JsonValue[] } {
  const { type, pattern } = schema;
  if (!Array.isArray(type) || typeof pattern !== 'string' || !pattern.includes('[0-9]{16,}')) return false;
  return type.length === 2 && type[1] === 'string';
}

function choicesOf(choices: readonly JsonValue[]): string {
  const shown = choices.slice(0, mostChoices).map((choice) => JSON.stringify(choice));
  return [...shown, ...(choices.length > mostChoices ? ['…'] : [])].join(' | ');
}

function arrayOf({ prefixItems, items = true }: JsonObject): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(typeOf).join(', ')}]`;
  const item = typeOf(items);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function mappingOf({ additionalProperties = null, title }: JsonObject): string {
  if (typeof title === 'string') return title;
  return isJsonObject(additionalProperties) ? `{string: ${typeOf(additionalProperties)}}` : 'object';
}

function defaultOf(schema: JsonValue): string {
  if (!isJsonObject(schema) || schema.default === undefined) return '';
  const text = JSON.stringify(schema.default);
  return ` = ${text.length > longestDefault ? '…' : text}`;
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = schema[key] ?? null;
  return isJsonObject(value) ? value : {};
}
