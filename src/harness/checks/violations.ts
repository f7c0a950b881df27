import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { named } from './findings.js';
import { propertiesOf, requiredOf } from './schema-parts.js';

/** Arguments that do not fit the schema of a tool, and why. */
export interface Violation {
  /** The end of a sentence that begins with a call. */
  readonly what: string;
  readonly arguments: JsonObject;
}

const mostMissing = 5;
const mostWrong = 10;
const unknownArgument = 'no_such_argument';

/** What may be tried; whether it really does not fit is for the schema to say. */
export function violationsOf(tool: Tool, model: JsonObject): readonly Violation[] {
  return [...missingOnes(tool, model), ...wrongOnes(tool, model), ...additionalOne(tool, model)];
}

function missingOnes(tool: Tool, model: JsonObject): readonly Violation[] {
  return requiredOf(tool)
    .slice(0, mostMissing)
    .map((name) => {
      const { [name]: _, ...others } = model;
      return { what: `without the required ${named(name)}`, arguments: others };
    });
}

function wrongOnes(tool: Tool, model: JsonObject): readonly Violation[] {
  return Object.entries(propertiesOf(tool))
    .slice(0, mostWrong)
    .flatMap(([name, schema]) =>
      [...wrongValues(schema), ...valuesBeyond(schema)].map(({ what, value }) => ({
        what: `with ${what} as ${named(name)}`,
        arguments: { ...model, [name]: value },
      })),
    );
}

/** Such as no reader takes for something else: digits may well be read as a number, and one value as a list of one. */
function wrongValues(schema: JsonValue): readonly { readonly what: string; readonly value: JsonValue }[] {
  if (!isJsonObject(schema)) return [];
  const types = isList(schema.type) ? schema.type : [schema.type];
  if (types.includes('string')) {
    const choices = isList(schema.enum)
      ? [{ what: 'a text that is none of the choices', value: 'no such choice' }]
      : [];
    return [listOfLists, ...choices];
  }
  if (types.includes('object')) return [{ what: 'a text', value: 'no object' }];
  const text = { what: 'a text', value: 'neither a number nor a list' };
  return schema.type === undefined ? [listOfLists, text] : [text];
}

const longestText = 100_000;

/** Of the right type, and yet not within the bounds that the schema sets. */
function valuesBeyond(schema: JsonValue): readonly { readonly what: string; readonly value: JsonValue }[] {
  if (!isJsonObject(schema)) return [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems } = schema;
  const isAbove = (bound: JsonValue | undefined): bound is number => typeof bound === 'number' && bound > 0;
  const below = typeof minimum === 'number' ? minimum - 1 : exclusiveMinimum;
  const above = typeof maximum === 'number' ? maximum + 1 : exclusiveMaximum;
  return [
    ...(typeof below === 'number' ? [{ what: 'a number below its minimum', value: below }] : []),
    ...(typeof above === 'number' ? [{ what: 'a number above its maximum', value: above }] : []),
    ...(isAbove(minLength)
      ? [{ what: 'a text below its minLength', value: 'x'.repeat(Math.min(minLength - 1, longestText)) }]
      : []),
    ...(typeof maxLength === 'number' && maxLength >= 0 && maxLength < longestText
      ? [{ what: 'a text above its maxLength', value: 'x'.repeat(maxLength + 1) }]
      : []),
    ...(isAbove(minItems) ? [{ what: 'an empty list', value: [] }] : []),
  ];
}

const listOfLists = { what: 'a list of lists', value: [['neither', 'text']] } as const;

function additionalOne({ inputSchema }: Tool, model: JsonObject): readonly Violation[] {
  if (!isJsonObject(inputSchema) || inputSchema.additionalProperties !== false) return [];
  return [{ what: 'with an argument that it does not know', arguments: { ...model, [unknownArgument]: true } }];
}
