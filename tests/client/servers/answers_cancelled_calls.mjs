import { serve, text, write } from './raw.mjs';

serve({
  'tools/call': ({ name }) => (name === 'pid' ? text(process.pid) : undefined),
  'notifications/cancelled': ({ requestId }) => {
    write({ id: requestId, error: { code: 0, message: 'Request cancelled' } });
  },
});
