import { relative } from 'node:path';
import { build } from './build.mjs';
import { root } from './run.mjs';
import { setUp } from './setup.mjs';

const script = `${root}/examples/word-count/word_count.py`;
const args = { text: 'to be or not to be, that is the question', top: 3 };

await setUp();
await build();
const { createEngine, ExecutionError } = await import('../dist/index.js');
const engine = createEngine();
process.on('SIGINT', end);
process.on('SIGTERM', end);
try {
  await makeExampleCall();
} catch (error) {
  await engine.close();
  fail(error);
}
if (process.argv.includes('--once')) await end();
else await waitForTheEnd();

async function makeExampleCall() {
  console.log(`$ mcp-exec call ${relative(root, script)} count text='${args.text}' top=${args.top}`);
  const onEvent = (event) => {
    if (event.type === 'output') console.log(`  ${event.line}`);
  };
  const { value, figures } = await engine.call({ script, function: 'count', args }, { onEvent });
  console.log(JSON.stringify(value, null, 2));
  console.log(
    `in ${figures.wallMs.toFixed(1)} ms, in a process of its own (${figures.launcher}, Python ${figures.python})`,
  );
}

async function waitForTheEnd() {
  console.log(`
Try in another terminal, from this folder:
  npx mcp-exec discover examples              what scripts become as tools; --explain says why
  npx mcp-exec call examples/big-files/big_files.py big_files folder=src top=3
  npx mcp-exec install cursor examples/word-count/word_count.py --dry-run
  npx mcp-exec serve examples                 an MCP server, which a client starts
  npx -y @modelcontextprotocol/inspector@2.12.0 npx mcp-exec serve examples
                                              the same on a web page, to try its tools
  npx mcp-exec doctor                         what works on this machine
Ctrl-C ends.`);
  process.stdin.on('end', end).resume();
}

async function end() {
  await engine.close();
  process.exit(0);
}

function fail(error) {
  console.error(error instanceof ExecutionError ? `${error.code}: ${error.message}\n${error.advice}` : error);
  process.exit(error instanceof ExecutionError ? error.exitCode : 1);
}
