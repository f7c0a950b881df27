import { serve, text } from './raw.mjs';

const broken = {
  half: (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"unfinished}}\n`,
  not_a_number: (id) => `{"jsonrpc": "2.0", "id": ${id}, "result": {"structuredContent": {"mean": NaN}}}\n`,
  id_at_the_end: (id) => `{"result":{"content":['single']},"jsonrpc":"2.0","id":${id}}\n`,
  no_utf8: (id) =>
    Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"`), Buffer.from([0xff, 0x22, 0x7d, 0x0a])]),
};

serve({
  'tools/call': ({ name }, id) => {
    if (!broken[name]) return text('fine');
    process.stdout.write(broken[name](id));
  },
});
