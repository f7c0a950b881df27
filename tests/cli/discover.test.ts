import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../interpreter/scripts.js';
import { type Scene, say } from './fake.js';

const orders = `"""Orders."""
import sys

TOTAL = 0

def total(prices: list[float], currency: str = "EUR", *, rounded: bool = False) -> float:
    """The sum of prices. It may be rounded.

    Args:
        prices: each in cents
    """

def loose(thing):
    global TOTAL
    TOTAL += 1

def _hidden(): ...

if __name__ == "__main__":
    print(total([1, 2]))
`;

describe('discover', () => {
  it('shows each tool as a function with the first sentence of its description', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { exitCode, stdout, stderr } = await discover(folder);
    expect(stdout).toContain(`${join(folder, 'orders.py')}\n`);
    expect(stdout).toContain('  total(prices: number[], currency?: string = "EUR", rounded?: boolean = false)');
    expect(stdout).toContain('\n    The sum of prices.\n');
    expect(stdout).toMatch(/\n {2}orders\(\)\n {4}off: /);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('fits the width of the terminal', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    for (const words of [[folder], [folder, '--explain']]) {
      const { stdout } = await discover(...words, { environment: { COLUMNS: '60' } });
      const long = stdout.split('\n').filter((line) => line.length > 60 && !line.startsWith('/'));
      expect(long).toEqual([]);
    }
  });

  it('writes colours only where they are wanted, and counts for a person', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { stdout, stderr } = await discover(folder, { colours: true, watched: true });
    expect(stdout).toContain('\u001b[32mtotal\u001b[39m(');
    expect(stderr).toBe('\n3 tools, 1 of them off; --explain says why\n');
  });

  it('never passes on what would command the terminal', async () => {
    const { folder, discover } = await scene({ 'evil.py': 'def f():\n    """Clears \\x1b[2J the \\x07screen."""\n' });
    expect((await discover(folder)).stdout).toContain('\n    Clears the screen.\n');
  });

  it('explains why each function is a tool, is degraded, or is none, and what to write', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { stdout } = await discover(folder, '--explain');
    expect(stdout).toMatch(/ {2}total \(line 6\): tool: /);
    expect(stdout).toMatch(/ {2}loose \(line 13\): tool: .*\n {6}degraded: Parameter thing has no annotation/);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/warning: .*TOTAL.* session/);
    expect(stdout).toMatch(/ {2}orders \(line 19\): off: /);
    expect(stdout).toMatch(/ {2}_hidden \(line 17\): left out: .*\n {6}to change that: /);
  });

  it('tells with --explain what importing does, and which packages and Python are asked for', async () => {
    const script =
      '# /// script\n# requires-python = ">=3.10"\n# dependencies = ["requests"]\n# ///\nprint("hello")\n\ndef f(): ...\n';
    const { folder, discover } = await scene({ 'noisy.py': script });
    const { stdout } = await discover(folder, '--explain');
    expect(stdout).toMatch(/ {2}when imported: .*line 5/);
    expect(stdout).toContain('  asks for Python >=3.10\n  asks for packages (inline): requests\n');
  });

  it('prints the manifest with --json, with paths as a file in the current folder would have them', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { stdout } = await discover(folder, '--json');
    const { manifestVersion, scripts, tools } = JSON.parse(stdout);
    expect(manifestVersion).toBe(1);
    expect(join(process.cwd(), scripts[0].path)).toBe(join(folder, 'orders.py'));
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(['loose', 'orders', 'total']);
  });

  it('prints what was left out too with --json --explain', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders, 'broken.py': 'def f(:\n' });
    const { stdout } = await discover(folder, '--json', '--explain');
    expect(JSON.parse(stdout)).toMatchObject({
      manifest: { tools: expect.any(Array) },
      leftOut: [{ name: '_hidden', line: 17 }],
      problems: [{ path: join(folder, 'broken.py'), error: { code: 'SYNTAX_ERROR', line: 1 } }],
      notes: [],
    });
  });

  it('writes a manifest that can be given instead of the scripts, and renews it with what was edited', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const file = join(folder, 'tools.json');
    const written = await discover(folder, '--out', file);
    expect(written).toMatchObject({ exitCode: 0, stdout: '', stderr: `Wrote ${file}: 3 tools, 1 of them off\n` });
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text).scripts[0].path).toBe('orders.py');
    const edited = JSON.parse(text);
    for (const tool of edited.tools) tool.enabled = tool.name === 'orders';
    await writeFile(file, JSON.stringify(edited));
    await writeFile(join(folder, 'orders.py'), `${orders}\n`);
    const renewed = await discover(file, '--out', file);
    expect(renewed.stderr).toMatch(
      /orders\.py changed after .*tools\.json was made.*\nWrote .*: 3 tools, 2 of them off\n$/,
    );
  });

  it.each([
    ['notes.json', 'my notes'],
    ['notes.json', '{"notes": []}'],
    ['notes.txt', undefined],
  ])('writes over nothing but a manifest: %s', async (name, text) => {
    const { folder, discover } = await scene({ 'orders.py': orders, ...(text === undefined ? {} : { [name]: text }) });
    const { exitCode, stderr } = await discover(join(folder, 'orders.py'), '--out', join(folder, name));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('INVALID_MANIFEST');
    if (text !== undefined) expect(await readFile(join(folder, name), 'utf8')).toBe(text);
  });

  it('selects by names and patterns, in one list or in several', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { stdout } = await discover(
      folder,
      '--json',
      '--only',
      'tot*,loose',
      '--only',
      'orders',
      '--exclude',
      'loose',
    );
    const { tools } = JSON.parse(stdout);
    const enabled = tools.filter((tool: { enabled: boolean }) => tool.enabled);
    expect(enabled.map(({ name }: { name: string }) => name).sort()).toEqual(['orders', 'total']);
  });

  it('ends with 2 and a suggestion where a selection matches nothing', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const { exitCode, stderr } = await discover(folder, '--only', 'totla');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('UNKNOWN_TOOL: No tool and no function is named totla; did you mean total?');
  });

  it('shows the other scripts where one has a syntax error, and ends with 1', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders, 'broken.py': 'def f(:\n' });
    const { exitCode, stdout, stderr } = await discover(folder);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('total(');
    expect(stderr).toMatch(/^ {2}File ".*broken\.py", line 1\n {4}def f\(:\n {10}\^\nSYNTAX_ERROR: /);
  });

  it('says as JSON what is wrong where nothing can be shown', async () => {
    const { folder, discover } = await scene({ 'broken.py': 'def f(:\n' });
    const { exitCode, stdout } = await discover(folder, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'SYNTAX_ERROR', line: 1 } });
  });

  it('ends with 2 where a script is missing, and with 3 where there is no Python', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    const missing = await discover(join(folder, 'oders.py'));
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain(`did you mean ${join(folder, 'orders.py')}?`);
    expect((await discover(folder, { environment: { PATH: folder } })).exitCode).toBe(3);
  });

  it('keeps nothing with --no-cache', async () => {
    const { folder, discover } = await scene({ 'orders.py': orders });
    await discover(folder, '--no-cache');
    expect((await discover(folder, { environment: { PATH: folder } })).exitCode).toBe(3);
    await discover(folder);
    expect((await discover(folder, { environment: { PATH: folder } })).exitCode).toBe(0);
  });
});

/** Scripts in a folder of their own, and the verb with a cache of its own. */
async function scene(files: Readonly<Record<string, string>>) {
  const home = await createFolder();
  const folder = join(home, 'scripts');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { PATH } = process.env;
  const discover = (...words: readonly (string | Scene)[]) => {
    const { environment, ...rest }: Scene = words.find((word) => typeof word !== 'string') ?? {};
    const all = { PATH, HOME: process.env.HOME, XDG_CACHE_HOME: join(home, 'cache'), ...environment };
    return say(['discover', ...words.filter((word) => typeof word === 'string')], { ...rest, environment: all });
  };
  return { folder, discover };
}
