import { isJsonObject, type JsonObject, type JsonValue } from '../../../toolbox.js';
import { isList } from '../../expect/json.js';
import { checkerOf, SchemaProblem } from '../../expect/schema-checker.js';
import { shown } from '../../expect/shown.js';
import { endedWithin } from '../../expect/within-time.js';
import { listed } from '../findings.js';
import type { Rule } from './rule.js';
import { deepest, extentOf, foreignReferences, largest } from './walk.js';

export const inputSchemaRule: Rule = async ({ inputSchema }) => {
  if (inputSchema === undefined) return ['has no inputSchema'];
  if (!isJsonObject(inputSchema)) return ['has an inputSchema that is no object'];
  if (inputSchema.type === undefined) return ['has an inputSchema without a type; it has to be "object"'];
  if (inputSchema.type !== 'object')
    return [`has an inputSchema whose type is ${shown(inputSchema.type)}; it has to be "object"`];
  return problemsOf('inputSchema', inputSchema);
};

export const outputSchemaRule: Rule = async ({ outputSchema }) => {
  if (outputSchema === undefined) return [];
  return isJsonObject(outputSchema)
    ? problemsOf('outputSchema', outputSchema)
    : ['has an outputSchema that is no object'];
};

/** What other rules tell is not told again in the words of the library. */
async function problemsOf(which: string, schema: JsonObject): Promise<readonly string[]> {
  if (isTooMuch(schema) || foreignReferences(schema).length > 0) return [];
  try {
    const checker = await checkerOf(schema);
    checker.check({});
    return [];
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    return [`has an ${which} that is no valid JSON Schema: ${error.message.replace(/\.$/, '')}`];
  }
}

export const requiredRule: Rule = (tool) =>
  eachSchema(tool, (which, schema) => {
    if (!isList(schema.required)) return [];
    const known = isJsonObject(schema.properties) ? schema.properties : {};
    const unknown = schema.required.filter((name) => typeof name === 'string' && !Object.hasOwn(known, name));
    return unknown.length === 0
      ? []
      : [`requires in its ${which} what is not among the properties: ${listed(unknown.map(String))}`];
  });

export const referencesRule: Rule = (tool) =>
  eachSchema(tool, (which, schema) => {
    const foreign = isTooMuch(schema) ? [] : foreignReferences(schema);
    const few = foreign.slice(0, 3).map((reference) => shown(reference));
    return few.length === 0 ? [] : [`refers in its ${which} to what is not in it: ${few.join(', ')}`];
  });

export const sizeRule: Rule = (tool) =>
  eachSchema(tool, (which, schema) => {
    const { size, depth } = extentOf(schema);
    if (depth > deepest) return [`has an ${which} that is nested more than ${deepest} deep`];
    return size > largest ? [`has an ${which} of more than ${largest} characters, which no model can read`] : [];
  });

export const propertyDescriptionsRule: Rule = ({ inputSchema }) => {
  const properties = isJsonObject(inputSchema) && isJsonObject(inputSchema.properties) ? inputSchema.properties : {};
  const silent = Object.entries(properties).filter(([, schema]) => !isDescribed(schema));
  return silent.length === 0 ? [] : [`does not describe ${listed(silent.map(([name]) => name))}`];
};

function isDescribed(schema: JsonValue): boolean {
  return isJsonObject(schema) && (typeof schema.$ref === 'string' || typeof schema.description === 'string');
}

export const defaultsRule: Rule = async ({ inputSchema }) => {
  if (!isJsonObject(inputSchema) || !isJsonObject(inputSchema.properties) || isTooMuch(inputSchema)) return [];
  const { $schema = null, $defs = {}, definitions = {} } = inputSchema;
  const dialect: JsonObject = $schema === null ? {} : { $schema };
  const told: string[] = [];
  for (const [name, schema] of Object.entries(inputSchema.properties)) {
    if (!isJsonObject(schema) || schema.default === undefined) continue;
    const alone: JsonObject = { ...dialect, $defs, definitions, ...schema };
    if (await doesNotFit(alone, schema.default)) told.push(`${name} (${shown(schema.default)})`);
  }
  return told.length === 0 ? [] : [`has defaults that do not fit their own schema: ${told.join(', ')}`];
};

const longestMs = 300;

async function doesNotFit(schema: JsonObject, value: JsonValue): Promise<boolean> {
  try {
    const checker = await checkerOf(schema);
    let isRefused = false;
    endedWithin(longestMs, () => {
      isRefused = checker.check(value).length > 0;
    });
    return isRefused;
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    return false;
  }
}

export const rootUnionRule: Rule = ({ inputSchema }) => {
  if (!isJsonObject(inputSchema)) return [];
  const unions = ['oneOf', 'anyOf', 'allOf'].filter((word) => inputSchema[word] !== undefined);
  return unions.length === 0
    ? []
    : [`has ${unions.join(' and ')} at the root of its inputSchema, which some clients refuse`];
};

function eachSchema(
  { inputSchema, outputSchema }: JsonObject,
  find: (which: string, schema: JsonObject) => readonly string[],
): readonly string[] {
  return [
    ...(isJsonObject(inputSchema) ? find('inputSchema', inputSchema) : []),
    ...(isJsonObject(outputSchema) ? find('outputSchema', outputSchema) : []),
  ];
}

function isTooMuch(schema: JsonObject): boolean {
  const { size, depth } = extentOf(schema);
  return size > largest || depth > deepest;
}
