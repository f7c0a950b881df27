import { serve, tool } from './raw.mjs';

const [kind = 'many'] = process.argv.slice(2);
const pageSize = 500;
let asked = 0;
serve({
  'tools/list': ({ cursor }) => {
    asked += 1;
    if (kind === 'circle') return { tools: [tool(`t${asked}`)], nextCursor: 'again' };
    if (kind === 'endless') return { tools: [tool(`t${asked}`)], nextCursor: String(asked) };
    if (kind === 'odd') return { tools: [null, { name: 3 }, tool('one'), tool('one'), { name: 'bare' }] };
    const start = Number(cursor ?? 0);
    const tools = Array.from({ length: pageSize }, (_, index) => tool(`t${start + index}`));
    return { tools, ...(start + pageSize < 10_000 && { nextCursor: String(start + pageSize) }) };
  },
});
