import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './run.mjs';
import { setUp } from './setup.mjs';

const usualPort = 8080;
const example = { text: 'to be or not to be, that is the question', top: 3 };

await setUp();
await build();
const { createGateway, ExecutionError } = await import('../dist/index.js');
const isOnce = process.argv.includes('--once');
/** For what is uploaded while it runs. */
const data = await mkdtemp(join(tmpdir(), 'mcp-execution-start-'));
let gateway;
let isEnding = false;
process.on('SIGINT', end);
process.on('SIGTERM', end);
try {
  gateway = await startGateway();
  if (isOnce) await makeExampleCall();
  else tellWhatToTry();
} catch (error) {
  await leave();
  fail(error);
}
if (isOnce) await end();

/** The scripts of all examples, at the usual port, or at another where that is taken. */
async function startGateway() {
  const services = await servicesOfExamples();
  const open = (port) => createGateway({ settings: { port, data }, services, engine: { logLevel: 'error' } });
  return open(isOnce ? 0 : usualPort).catch((error) => {
    if (isOnce || error?.cause?.code !== 'EADDRINUSE') throw error;
    return open(0);
  });
}

async function servicesOfExamples() {
  const files = await readdir(join(root, 'examples'), { recursive: true });
  // What lies deeper is of a workspace: generated modules, and scripts that import them.
  const scripts = files.filter((file) => /^[^\\/]+[\\/][^\\/]+\.py$/.test(file)).sort();
  return scripts.map((file) => ({
    id: file.replace(/^.*[\\/]|\.py$/g, ''),
    source: { kind: 'script', targets: [join(root, 'examples', file)] },
    // That one stands for a script of somebody else.
    ...(file.startsWith('untrusted') && { settings: { profile: 'strict' } }),
  }));
}

async function makeExampleCall() {
  const address = `${gateway.url}/api/v1/services/word_count/tools/count`;
  console.log(`$ curl -s ${address} --json '${JSON.stringify(example)}'`);
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(example),
  });
  const { error, output, structuredContent, figures } = await response.json();
  if (error) throw new Error(`${error.code}: ${error.message}`);
  console.log(`  ${output.stdout.trim()}`);
  console.log(JSON.stringify(structuredContent, null, 2));
  console.log(
    `in ${figures.wallMs.toFixed(1)} ms, in a process of its own (${figures.launcher}, Python ${figures.python})`,
  );
}

function tellWhatToTry() {
  const { url } = gateway;
  const call = `${url}/api/v1/services/word_count/tools/count --json '${JSON.stringify(example)}'`;
  console.log(`Gateway: ${url} serves the scripts of examples/ until Ctrl-C. In another terminal, from this folder:
  curl -s ${call}
  curl -sN ${call} -H 'Accept: text/event-stream'
  curl -s ${url}/api/v1/services -F file=@examples/word-count/word_count.py -F id=mine -F only=longest
  npx -y @modelcontextprotocol/inspector@2.12.0 --cli ${url}/mcp --transport http --method tools/list
  npx mcp-exec install cursor examples/word-count/word_count.py --dry-run`);
}

async function end() {
  if (isEnding) process.exit(130);
  isEnding = true;
  await leave();
  process.exit(0);
}

async function leave() {
  await gateway?.close();
  await rm(data, { recursive: true, force: true });
}

function fail(error) {
  console.error(error instanceof ExecutionError ? `${error.code}: ${error.message}\n${error.advice}` : error);
  process.exit(error instanceof ExecutionError ? error.exitCode : 1);
}
