import { serve, text } from './raw.mjs';

serve({ 'tools/call': ({ arguments: { value } }) => text(JSON.stringify({ value, pid: process.pid })) });
