import { join } from 'node:path';
import { installedBeside } from './npm-package.mjs';

/** The versions of the official conformance suite: one for the revisions up to 2025-11-25, one for the one after them. */
const suites = [
  { version: '0.1.16', scenarios: ['--suite', 'all'] },
  { version: '0.2.0-alpha.12', scenarios: ['--requirements', '2026-07-28'] },
];
/** The suite needs a newer Node than this project does. */
const leastNode = 22;
const newerNode = '24';

/** What the conformance tests need, as a variable for them; nothing where it cannot be had. */
export async function conformanceEnvironment() {
  const node = await findNode();
  const found = [];
  for (const { version, scenarios } of node ? suites : []) {
    const name = '@modelcontextprotocol/conformance';
    const packages = await installedBeside(`conformance-${version}`, [`${name}@${version}`]);
    if (!packages) return {};
    const program = join(packages, name, 'dist/index.js');
    found.push({ version, scenarios, node, program });
  }
  return found.length === suites.length ? { MCP_EXECUTION_CONFORMANCE: JSON.stringify(found) } : {};
}

async function findNode() {
  if (Number(process.versions.node.split('.', 1)[0]) >= leastNode) return process.execPath;
  const description = { allowScripts: { node: true } };
  const packages = await installedBeside(`node-${newerNode}`, [`node@${newerNode}`], description);
  return packages && join(packages, 'node/bin/node');
}
