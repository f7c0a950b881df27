import { serve, text, write } from './raw.mjs';

serve({
  'tools/call': ({ arguments: args }, id) => {
    if (args.odd) process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":"a text","extra":1}\n`);
    else if (args.inResult) return { ...text(args.inResult), isError: true };
    else write({ id, error: { code: args.code, message: args.message } });
  },
});
