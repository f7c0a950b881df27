import { serve, text, tool, write } from './raw.mjs';

const tools = [tool('grow')];
serve({
  'tools/list': () => ({ tools }),
  'tools/call': () => {
    tools.push(tool(`tool_${tools.length}`));
    write({ method: 'notifications/tools/list_changed' });
    return text(tools.length);
  },
});
