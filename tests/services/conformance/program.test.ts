import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../../src/services/conformance/program.js';

const fakeNpm = join(import.meta.dirname, 'servers/fake_npm.js');

async function cacheDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-cache-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function optionsWith(folder: string, more: NodeJS.ProcessEnv = {}) {
  const notes: string[] = [];
  const environment = { ...process.env, MCP_EXECUTION_CONFORMANCE: undefined, npm_execpath: fakeNpm, ...more };
  return { cacheDir: folder, environment, note: (message: string) => void notes.push(message), notes };
}

describe('the official suite', () => {
  it('is the one that the variable names', async () => {
    const [older, newer] = ['0.1.16', '0.2.0-alpha.12'].map((version) => ({ version, node: 'n', program: version }));
    const options = optionsWith('', { MCP_EXECUTION_CONFORMANCE: JSON.stringify([older, newer]) });
    expect(await findProgram('2025-11-25', options)).toEqual(older);
    expect(await findProgram('2026-07-28', options)).toEqual(newer);
  });

  it('is not guessed where the variable has another form', async () => {
    const options = optionsWith('', { MCP_EXECUTION_CONFORMANCE: '/path' });
    await expect(findProgram('2025-11-25', options)).rejects.toThrow(
      'MCP_EXECUTION_CONFORMANCE does not have its form',
    );
  });

  it('is installed once, however many ask for it', async () => {
    const folder = await cacheDir();
    const options = optionsWith(folder);
    const [one, other] = await Promise.all([findProgram('2025-11-25', options), findProgram('2025-11-25', options)]);
    expect(other).toEqual(one);
    expect(one).toMatchObject({ version: '0.1.16' });
    expect(await readFile(one.program, 'utf8')).toBe('// @modelcontextprotocol/conformance@0.1.16');
    const told = options.notes.filter((note) => note.startsWith('Installing @modelcontextprotocol/conformance@0.1.16'));
    expect(told).toHaveLength(1);
    const again = optionsWith(folder);
    await findProgram('2025-11-25', again);
    expect(again.notes).toEqual([]);
  });

  it('comes with a Node that is new enough, where this one is not', async () => {
    const { node } = await findProgram('2025-11-25', optionsWith(await cacheDir()));
    const isNewEnough = Number(process.versions.node.split('.', 1)[0]) >= 22;
    if (isNewEnough) expect(node).toBe(process.execPath);
    else expect(node).toMatch(/node-24[/\\]node_modules[/\\]node[/\\]bin[/\\]node(?:\.exe)?$/);
  });

  it('is tried again after an installation that failed, which says what to do', async () => {
    const folder = await cacheDir();
    const refused = findProgram('2025-11-25', optionsWith(folder, { FAKE_NPM_FAILS: 'yes' }));
    await expect(refused).rejects.toThrow(
      /^npm could not install .*; check that npm runs here and reaches its registry/,
    );
    await expect(refused).rejects.toThrow('getaddrinfo ENOTFOUND');
    expect(await findProgram('2025-11-25', optionsWith(folder))).toMatchObject({ version: '0.1.16' });
  });
});
