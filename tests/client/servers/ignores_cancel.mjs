import { serve, text } from './raw.mjs';

/** `busy` answers nothing any more, `deaf` goes on with all else. */
serve({
  'tools/call': ({ name }) => {
    if (name === 'pid') return text(process.pid);
    if (name === 'busy') for (;;);
  },
});
