import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installedBeside } from './npm-package.mjs';

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
  const packages = await installedBeside(`inspector-${version}`, [`@modelcontextprotocol/inspector@${version}`]);
  return packages && join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
}

function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return browsers.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
