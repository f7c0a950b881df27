import { spawn } from 'node:child_process';
import { serve, text } from './raw.mjs';

serve({
  'tools/call': ({ arguments: args }) => {
    const daemon = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: args.leavesGroup,
      stdio: 'ignore',
    });
    daemon.unref();
    return text(JSON.stringify({ pid: process.pid, daemon: daemon.pid }));
  },
});
