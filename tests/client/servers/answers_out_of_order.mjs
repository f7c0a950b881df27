import { answer, serve, text } from './raw.mjs';

const waiting = [];
serve({
  'tools/call': ({ arguments: args }, id) => {
    waiting.push([id, args.value]);
    if (waiting.length < args.of) return;
    for (const [earlier, value] of waiting.splice(0).reverse()) answer(earlier, text(value));
  },
});
