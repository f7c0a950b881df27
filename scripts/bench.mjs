import { compile } from './load.mjs';
import { run } from './run.mjs';
import { setUp } from './setup.mjs';

await setUp();
const program = await compile('bench/bench.ts', 'bench');
const { code } = await run(process.execPath, ['--expose-gc', program, ...process.argv.slice(2)]);
process.exitCode = code;
