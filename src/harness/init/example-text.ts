import type { JsonObject, JsonValue } from '../../toolbox.js';
import { patternExample } from './pattern-example.js';

const longest = 10_000;

const ofFormat: Readonly<Record<string, string>> = {
  email: 'someone@example.com',
  'idn-email': 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/example',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  date: '2024-01-31',
  time: '12:00:00Z',
  'date-time': '2024-01-31T12:00:00Z',
  duration: 'PT1H',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  byte: 'ZXhhbXBsZQ==',
  regex: '.*',
  'json-pointer': '/example',
};

/** A text that fits the schema, as far as that can be told; or why there is none. */
export function exampleText(schema: JsonObject): { readonly text: string } | { readonly problem: string } {
  const { format, pattern } = schema;
  const minLength = lengthOf(schema.minLength) ?? 0;
  const maxLength = lengthOf(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  if (minLength > longest) return { problem: `it wants a text of ${minLength} characters` };
  if (typeof pattern === 'string') {
    const text = patternExample(pattern, minLength);
    if (text !== undefined && text.length <= maxLength) return { text };
    return { problem: 'it wants a text of a pattern that is not simple' };
  }
  const known = typeof format === 'string' && Object.hasOwn(ofFormat, format) ? ofFormat[format] : undefined;
  if (known !== undefined) return { text: known };
  return { text: 'example'.padEnd(minLength, '-').slice(0, maxLength) };
}

function lengthOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
