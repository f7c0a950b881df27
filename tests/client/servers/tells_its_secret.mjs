import { serve, text, tool, write } from './raw.mjs';

const { SECRET, HOW, BEFORE = 0 } = process.env;
process.stderr.write(
  `first line\n\u001b[31m${'x'.repeat(Number(BEFORE))}the key ${SECRET} is refused\u001b[0m\r\n\u0007\n`,
);
if (HOW === 'dies') process.exitCode = 5;
else if (HOW === 'hangs') setInterval(() => {}, 1000);
else {
  const tools = [{ ...tool('work'), description: `Uses ${SECRET}` }];
  serve({
    'tools/list': () => ({ tools }),
    'tools/call': (_params, id) => {
      if (HOW === 'fails') return { content: [{ type: 'text', text: `denied for ${SECRET}` }], isError: true };
      if (HOW === 'refuses') return write({ id, error: { code: -32000, message: `denied for ${SECRET}` } });
      if (HOW === 'tells') return text(SECRET);
      process.stderr.write(`last word of ${SECRET}\n`, () => process.exit(9));
    },
  });
}
