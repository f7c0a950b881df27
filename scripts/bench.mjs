import { build } from './build.mjs';
import { fastmcpPython } from './fastmcp.mjs';
import { compile } from './load.mjs';
import { peersOfGateway } from './peers.mjs';
import { run } from './run.mjs';
import { setUp } from './setup.mjs';

await setUp();
await build();
const peer = await fastmcpPython();
const program = await compile('bench/bench.ts', 'bench');
const environment = { ...(await peersOfGateway()), ...(peer !== undefined && { BENCH_FASTMCP_PYTHON: peer }) };
const { code } = await run(process.execPath, ['--expose-gc', program, ...process.argv.slice(2)], { environment });
process.exitCode = code;
