import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMain, root, runNpm } from './run.mjs';

const oldestNode = [20, 19];

/** Installs the dependencies when they are missing or older than the lock file. */
export async function setUp() {
  refuseOldNode();
  const [installed, locked] = await Promise.all([
    changedAt(join(root, 'node_modules', '.package-lock.json')),
    changedAt(join(root, 'package-lock.json')),
  ]);
  if (installed >= locked) return;
  console.error('Installing the dependencies ...');
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms.
  const { code } = await runNpm(['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']);
  if (code !== 0) fail('The dependencies could not be installed; npm says why above.');
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (isOld) fail(`Node ${oldestNode.join('.')} or newer is needed, and this is ${process.versions.node}.`);
}

async function changedAt(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (isMain(import.meta.url)) await setUp();
