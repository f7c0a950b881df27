import { dirname, join } from 'node:path';
import { installedBeside } from './npm-package.mjs';
import { environmentWith } from './packages.mjs';

/** The bridges that the gateway is measured against, as variables for the bench; those that cannot be had are left out. */
export async function peersOfGateway() {
  const { findPython } = await import('../dist/index.js');
  const python = await environmentWith(['mcp-proxy==0.13.0'], 'mcp-proxy', await findPython());
  const packages = await installedBeside('supergateway-4.0.0', ['supergateway@4.0.0']);
  return {
    ...(python !== undefined && { BENCH_MCP_PROXY: join(dirname(python), 'mcp-proxy') }),
    ...(packages !== undefined && { BENCH_SUPERGATEWAY: join(packages, 'supergateway/dist/index.js') }),
  };
}
