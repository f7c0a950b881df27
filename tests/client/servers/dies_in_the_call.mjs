import { serve, text } from './raw.mjs';

serve({
  'tools/call': ({ name, arguments: args }) => {
    if (name === 'pid') return text(process.pid);
    process.stderr.write('something is very wrong\n');
    if (args.signal) process.kill(process.pid, args.signal);
    else process.exit(3);
  },
});
