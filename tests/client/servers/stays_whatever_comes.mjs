import { serve, text } from './raw.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
serve({ staysOpen: true, 'tools/call': () => text(process.pid) });
