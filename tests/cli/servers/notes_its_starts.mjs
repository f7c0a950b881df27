import { appendFileSync } from 'node:fs';
import { serve, text } from '../../client/servers/raw.mjs';

/** Adds its process to the file named by NOTES when it starts, and each call of `wait` once that is under way. */
const note = (word) => appendFileSync(process.env.NOTES, `${word} ${process.pid}\n`);

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const nothing = { type: 'object', properties: {} };

const tools = [
  { name: 'double', description: 'Doubles a number.', inputSchema: number },
  { name: 'figures', description: 'Gives figures.', inputSchema: nothing, annotations: { readOnlyHint: true } },
  { name: 'fail', description: 'Fails.', inputSchema: nothing },
  { name: 'wait', description: 'Never answers.', inputSchema: nothing },
];

const work = {
  double: ({ n }) => text(n * 2),
  figures: () => text('{"rows": 3}'),
  fail: () => ({ ...text('it did not work'), isError: true }),
  wait: () => {
    note('waits');
    return new Promise(() => {});
  },
};

note('started');
serve({
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args = {} }) => work[name](args),
});
