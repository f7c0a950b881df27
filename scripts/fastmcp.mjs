import { environmentWith } from './packages.mjs';

/** A Python that has FastMCP, the peer that serving is measured against; undefined where it cannot be had. */
export async function fastmcpPython() {
  const { findPython } = await import('../dist/index.js');
  return environmentWith(['fastmcp==4.1.2'], 'fastmcp', await findPython());
}
