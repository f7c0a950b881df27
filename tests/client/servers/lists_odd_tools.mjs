import { serve, tool } from './raw.mjs';

const levels = 20_000;
const deep = `{"type":"object","properties":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;

/** By hand, because nothing here could say values that are nested that deep. */
serve({
  'tools/list': (_params, id) => {
    const odd = [
      null,
      7,
      'a text',
      [],
      { description: 'no name' },
      { name: '' },
      { name: 3 },
      { name: 'n'.repeat(1000) },
      { name: 'text_as_schema', inputSchema: 'object' },
      { name: 'list_as_schema', inputSchema: [] },
      { name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(2_000_000) } },
      tool('fine'),
      tool('fine'),
      { name: 'bare' },
      { name: 'odd_output', inputSchema: { type: 'object' }, outputSchema: 'no', annotations: 4 },
    ];
    const tools = `${JSON.stringify(odd).slice(0, -1)},{"name":"deep","inputSchema":${deep}}]`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":${tools}}}\n`);
  },
});
