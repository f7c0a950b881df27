import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-pack-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)];
  await run('npm', install, { cwd: folder });
  await symlink(join(root, 'examples'), join(folder, 'examples'));
  await writeFile(join(folder, 'adds.py'), 'def add(a: int, b: int) -> int:\n    return a + b\n');
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package, installed into an empty folder', () => {
  it('has the command', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(await command('--version')).toBe(`${version}\n`);
  });

  it('finds Python and makes a call', async () => {
    expect(JSON.parse(await command('doctor', '--json'))).toMatchObject({ testCall: { works: true } });
    expect(await command('call', 'adds.py', 'add', 'a=2', 'b=3')).toBe('5\n');
  });

  it('is a library', async () => {
    await writeFile(
      join(folder, 'program.js'),
      `import { createEngine } from 'mcp-execution';
       const engine = createEngine();
       const { value } = await engine.call({ script: 'adds.py', function: 'add', args: { a: 2, b: 3 } });
       console.log(value);
       await engine.close();`,
    );
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
    expect(stdout).toBe('5\n');
  });

  it('has types', async () => {
    await writeFile(
      join(folder, 'program.ts'),
      `import { createEngine, type ErrorCode, ExecutionError, type JsonValue, PythonEngine } from 'mcp-execution';
       const engine = createEngine({ timeoutMs: 5_000, isolation: 'session' });
       const { value, figures } = await engine.call({ script: 'adds.py', function: 'add', args: { a: 2 } });
       export const returned: JsonValue = value;
       export const wallMs: number = figures.wallMs;
       export const codeOf = (error: unknown): ErrorCode | undefined =>
         error instanceof ExecutionError ? error.code : undefined;
       export const whole = new PythonEngine();
       // @ts-expect-error: an isolation that does not exist
       createEngine({ isolation: 'none' });`,
    );
    expect(await complaintsOfCompiler('program.ts')).toBe('');
  });

  it.each(['README.md', 'docs/code-execution.md', 'docs/engine.md', 'docs/gateway.md', 'docs/wrapper.md'])(
    'runs the programs of %s, which print what it shows',
    async (page) => {
      const text = await readFile(join(root, page), 'utf8');
      const programs = [...text.matchAll(/^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)];
      expect(programs.length).toBe([...text.matchAll(/^```ts$/gm)].length);
      for (const [, code = '', output] of programs) {
        await writeFile(join(folder, 'shown.ts'), code);
        await writeFile(join(folder, 'shown.js'), transformSync(code, { loader: 'ts', target: 'node20' }).code);
        expect(await complaintsOfCompiler('shown.ts')).toBe('');
        expect((await run(process.execPath, ['shown.js'], { cwd: folder })).stdout).toBe(output);
      }
    },
    120_000,
  );

  it('carries nothing that is not needed to run it', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--dry-run', '--ignore-scripts'], { cwd: root });
    const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    const tops = new Set(files.map(({ path }: { path: string }) => path.split('/')[0]));
    expect([...tops].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'docs', 'package.json', 'python']);
    expect(files.some(({ path }: { path: string }) => path.includes('__pycache__'))).toBe(false);
  });
});

async function complaintsOfCompiler(file: string): Promise<string> {
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  const typeRoots = ['--typeRoots', join(root, 'node_modules/@types')];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = run(process.execPath, [compiler, ...options, ...typeRoots, file], { cwd: folder });
  return compiled.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

async function command(...words: readonly string[]): Promise<string> {
  const { stdout } = await run(join(folder, 'node_modules/.bin/mcp-exec'), words, { cwd: folder });
  return stdout;
}
