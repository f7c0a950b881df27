import { answer, serve, text } from './raw.mjs';

serve({
  'tools/call': (_params, id) => {
    answer(987654, text('unknown number'));
    answer('a-name', text('unknown name'));
    answer(null, text('no id'));
    answer(id, text('first'));
    answer(id, text('second'));
  },
});
