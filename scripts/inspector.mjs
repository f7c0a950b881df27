import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cache, runNpm } from './run.mjs';

const version = '2.12.0';
const browsers = ['chromium', 'chromium-browser', 'google-chrome'];

/** The program of MCP Inspector and a browser for its page, as variables for the tests; what cannot be had is left out. */
export async function inspectorEnvironment() {
  const program = await installInspector();
  const browser = findBrowser();
  return {
    ...(program && { MCP_EXECUTION_INSPECTOR: program }),
    ...(browser && { MCP_EXECUTION_BROWSER: browser }),
  };
}

async function installInspector() {
  const folder = join(cache, `inspector-${version}`);
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return program;
  console.error(`Installing MCP Inspector ${version} for the tests that need it ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runNpm([...args, `@modelcontextprotocol/inspector@${version}`], { capture: true });
  if (code !== 0) {
    console.error(output.slice(-2000));
    return undefined;
  }
  await writeFile(stamp, '');
  return program;
}

function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return browsers.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
