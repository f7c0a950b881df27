import type { Server } from '@modelcontextprotocol/server';

export function createServer(): Server;
