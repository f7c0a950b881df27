/** All that holds of `mcp-exec serve`, on the path that Windows takes. */
process.env.MCP_EXECUTION_LAUNCHER = 'warm';
await import('./serve.test.js');
