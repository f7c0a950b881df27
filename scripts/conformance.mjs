import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, runNpm } from './run.mjs';

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
    const folder = await installed(`conformance-${version}`, [`@modelcontextprotocol/conformance@${version}`]);
    if (!folder) return {};
    const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    found.push({ version, scenarios, node, program });
  }
  return found.length === suites.length ? { MCP_EXECUTION_CONFORMANCE: JSON.stringify(found) } : {};
}

async function findNode() {
  if (Number(process.versions.node.split('.', 1)[0]) >= leastNode) return process.execPath;
  const folder = await installed(`node-${newerNode}`, [`node@${newerNode}`], { allowScripts: { node: true } });
  return folder && join(folder, 'node_modules/node/bin/node');
}

async function installed(name, packages, description = {}) {
  const folder = join(cache, name);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return folder;
  console.error(`Installing ${packages.join(', ')} for the tests that need it ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...description }));
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  const { code, output } = await runNpm(args, { capture: true, cwd: folder });
  if (code !== 0) {
    console.error(output.slice(-2000));
    return undefined;
  }
  await writeFile(stamp, '');
  return folder;
}
