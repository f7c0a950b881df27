import { serve, text } from './raw.mjs';

let calls = 0;
serve({
  'tools/call': () => {
    calls += 1;
    return text(JSON.stringify({ pid: process.pid, calls }));
  },
});
