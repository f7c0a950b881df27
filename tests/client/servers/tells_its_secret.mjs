import { serve, tool } from './raw.mjs';

const { SECRET, HOW, BEFORE = '' } = process.env;
process.stderr.write(`first line\n\u001b[31m${BEFORE}the key ${SECRET} is refused\u001b[0m\r\n\u0007\n`);
if (HOW === 'dies') process.exitCode = 5;
else if (HOW === 'hangs') setInterval(() => {}, 1000);
else {
  const tools = [{ ...tool('work'), description: `Uses ${SECRET}` }];
  serve({
    'tools/list': () => ({ tools }),
    'tools/call': () => {
      process.stderr.write(`last word of ${SECRET}\n`, () => process.exit(9));
    },
  });
}
