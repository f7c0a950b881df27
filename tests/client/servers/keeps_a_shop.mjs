import { serve, text } from './raw.mjs';

// A shop with a tool for each way in which a tool can behave.
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });
const orders = [];
const readOnly = { annotations: { readOnlyHint: true } };

const tools = [
  {
    name: 'order',
    description: 'Orders an item. Gives the number of the order.',
    inputSchema: object({ item: { type: 'string' }, count: { type: 'integer', default: 1 } }, ['item']),
    outputSchema: object({ number: { type: 'integer' }, item: { type: 'string' } }, ['number', 'item']),
    run: ({ item }) => {
      orders.push(item);
      const order = { number: orders.length, item };
      return { ...text(JSON.stringify(order)), structuredContent: order };
    },
  },
  { name: 'stock', description: 'What there is.', inputSchema: object(), ...readOnly, run: () => text('{"tea": 3}') },
  {
    name: 'fail',
    description: 'Fails.',
    inputSchema: object(),
    run: () => ({ ...text('the shop is closed'), isError: true }),
  },
  { name: 'die', description: 'Ends the server.', inputSchema: object(), run: () => process.exit(3) },
  { name: 'hang', description: 'Never answers.', inputSchema: object(), run: () => new Promise(() => {}) },
  {
    name: 'large',
    description: 'A text of that many bytes.',
    inputSchema: object({ bytes: { type: 'integer' } }, ['bytes']),
    run: ({ bytes }) => text('x'.repeat(bytes)),
  },
  {
    name: 'picture',
    description: 'A picture and a word.',
    inputSchema: object(),
    ...readOnly,
    run: () => ({
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'done' },
      ],
    }),
  },
  {
    name: 'max-count',
    description: 'Says what it was given as "from".',
    inputSchema: object({ from: { type: 'string' } }, ['from']),
    run: ({ from }) => text(from),
  },
];

serve({
  'tools/list': () => ({ tools: tools.map(({ run: _run, ...tool }) => tool) }),
  'tools/call': ({ name, arguments: args = {} }) => tools.find((tool) => tool.name === name)?.run(args),
});
