import { serve } from './raw.mjs';

serve({
  'tools/call': () => ({
    content: [{ type: 'hologram', beams: 3 }, 'a text', null],
    structuredContent: 7,
    isError: 'no',
  }),
});
