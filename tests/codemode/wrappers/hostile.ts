import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownServer, KnownTool } from '../../../src/codemode/known-tools.js';
import type { JsonSchema, JsonValue, Tool } from '../../../src/toolbox.js';

const folder = join(import.meta.dirname, '../../fixtures/schemas');

/** A server for each file of hostile schemas, and one of schemas that are too much of something. */
export function hostileServers(): readonly KnownServer[] {
  const ofFiles = readdirSync(folder).map((file): KnownServer => {
    const tools: readonly Tool[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    return { name: file.replace('.json', ''), tools: tools.map(asKnown) };
  });
  return [...ofFiles, { name: 'far too much', description: '"""\n'.repeat(50_000), tools: absurdTools().map(asKnown) }];
}

export function asKnown(tool: Tool): KnownTool {
  return tool.outputSchema ? { tool, result: { schema: tool.outputSchema, origin: 'declared' } } : { tool };
}

function absurdTools(): readonly Tool[] {
  const words = Array.from({ length: 1000 }, (_, index) => `w${index}`);
  const wide = Object.fromEntries(words.map((word) => [word, { type: 'string' }]));
  const some = Object.fromEntries(words.slice(0, 150).map((word) => [word, { enum: words }]));
  const all = { allOf: Array.from({ length: 3000 }, () => ({ $ref: '#/$defs/all' })) };
  const taking = (properties: JsonSchema, more: JsonSchema = {}) => ({ type: 'object', properties, ...more });
  return [
    {
      name: 'long',
      description: 'long """ \\ " text '.repeat(6000),
      inputSchema: taking({ x: { description: 'x"'.repeat(50_000) } }),
    },
    { name: 'deep', inputSchema: taking({ x: nested(2000, (inner) => ({ type: 'array', items: inner })) }) },
    { name: 'deep_objects', inputSchema: taking({ x: nested(500, (inner) => taking({ x: inner })) }) },
    {
      name: 'deep_choices',
      inputSchema: taking({ x: nested(500, (inner) => ({ anyOf: [{ type: 'null' }, inner] })) }),
    },
    { name: 'deep_all', inputSchema: taking({ x: nested(500, (inner) => ({ allOf: [inner] })) }) },
    { name: 'wide', inputSchema: taking(wide) },
    { name: 'wide_inside', inputSchema: taking({ x: taking(wide), y: taking(some) }) },
    { name: 'many_parameters', inputSchema: taking(some) },
    { name: 'many_values', inputSchema: taking({ x: { enum: words } }) },
    { name: 'many_choices', inputSchema: taking({ x: { anyOf: words.map((word) => taking({ [word]: {} })) } }) },
    { name: 'many_parts', inputSchema: taking({ x: { $ref: '#/$defs/all' } }, { $defs: { all } }) },
    {
      name: 'doubling',
      inputSchema: taking({ x: nested(30, (inner) => ({ anyOf: [taking({ a: inner }), taking({ b: inner })] })) }),
    },
    { name: 'long_names', inputSchema: taking({ ['x'.repeat(5000)]: { type: 'string', default: 'y'.repeat(5000) } }) },
  ];
}

function nested(times: number, around: (inner: JsonSchema) => JsonSchema): JsonValue {
  let schema: JsonSchema = { type: 'string' };
  for (let time = 0; time < times; time++) schema = around(schema);
  return schema;
}
