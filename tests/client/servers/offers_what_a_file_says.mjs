import { appendFileSync, readFileSync } from 'node:fs';
import { serve, text, tool, write } from './raw.mjs';

/** The file says {tools, ttlMs?}; what was asked is noted beside it, so that a test sees it. */
const [file] = process.argv.slice(2);
const said = () => JSON.parse(readFileSync(file, 'utf8'));
const note = (word) => appendFileSync(`${file}.asked`, `${word}\n`);
note('start');
serve({
  'tools/list': () => {
    note('list');
    const { tools, ...rest } = said();
    return { tools: tools.map(tool), ...rest };
  },
  ping: () => {
    note('ping');
    return {};
  },
  'tools/call': ({ name }, id) => {
    note(`call ${name}`);
    if (name === 'tell') write({ method: 'notifications/tools/list_changed' });
    else if (name === 'never') return;
    else if (name === 'die') process.exit(3);
    else if (!said().tools.includes(name)) {
      write({ id, error: { code: -32602, message: `Unknown tool: ${name}` } });
      return;
    }
    return text(name);
  },
});
