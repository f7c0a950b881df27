import { answer, serve, text, write } from './raw.mjs';

let held;
serve({
  'tools/call': ({ name, arguments: { megabytes } }, id) => {
    if (name === 'pid') return text(process.pid);
    if (name === 'wait') held = id;
    else {
      const much = text('x'.repeat(megabytes * 1024 * 1024));
      if (name === 'number_last') process.stdout.write(`${JSON.stringify({ result: much, jsonrpc: '2.0', id })}\n`);
      else if (name === 'number_hidden') {
        process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', result: much, id, also: 1 })}\n`);
      } else if (name === 'notification') {
        write({ method: 'notifications/message', params: { level: 'info', data: much } });
        answer(id, text('told'));
      } else answer(id, much);
      if (held !== undefined) answer(held, text('waited'));
    }
  },
});
