import { serve, write } from '../../../client/servers/raw.mjs';

serve({
  'tools/call': (_params, id) => {
    write({ id, error: { code: 'none', message: 'it is a text' } });
  },
});
