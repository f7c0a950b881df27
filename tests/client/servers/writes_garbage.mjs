import { answer, serve, text } from './raw.mjs';

console.log('Server started!');
serve({
  'tools/call': (_params, id) => {
    process.stdout.write('not json\n\n{"half":\n[1,2]\n"text"\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
    process.stderr.write('a line on stderr\n');
    answer(id, text('clean'));
  },
});
