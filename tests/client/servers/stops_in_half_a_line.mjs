import { serve } from './raw.mjs';

serve({
  'tools/call': (_params, id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`, () => process.exit(0));
  },
});
