import { serve } from './raw.mjs';

const kept = [];
serve({
  'tools/call': () => {
    setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20);
  },
});
