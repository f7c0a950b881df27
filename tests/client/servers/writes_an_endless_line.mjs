import { serve } from './raw.mjs';

serve({
  'tools/call': async (_params, id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    const piece = 'x'.repeat(1024 * 1024);
    for (let megabytes = 0; megabytes < 100; megabytes++) {
      await new Promise((resolve) => process.stdout.write(piece, resolve));
    }
    process.stdout.write('"}]}}\n');
  },
});
