import type { McpServer } from '@modelcontextprotocol/server';

export function createServer(): McpServer;
