import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine, FunctionCall, ScriptRun } from '../../src/engine/work.js';
import type { JsonObject } from '../../src/toolbox.js';
import { fixture, folderWith, processesLeft } from '../engine/harness.js';
import { resultOf, say } from './fake.js';

/** A folder with a manifest of these tools, whose script is as it was when the manifest was made. */
function manifestWith(script: string, tools: readonly JsonObject[]): string {
  const content = readFileSync(fixture(script));
  const folder = folderWith({ [script]: content });
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = join(folder, 'manifest.json');
  writeFileSync(file, JSON.stringify({ manifestVersion: 1, scripts: [{ path: script, sha256 }], tools }));
  return file;
}

const script = 'has_a_command_line.py';
const command = manifestWith(script, [
  {
    name: 'repeat',
    inputSchema: {
      type: 'object',
      properties: { word: { type: 'string' }, count: { type: 'integer' }, fail: { type: 'integer' } },
      required: ['word'],
      additionalProperties: false,
    },
    run: {
      kind: 'command',
      script,
      command: {
        parameters: [
          { name: 'count', kind: 'option', flag: '--count' },
          { name: 'fail', kind: 'option', flag: '--fail' },
          { name: 'word', kind: 'positional' },
        ],
      },
    },
    enabled: true,
    why: 'a command line',
  },
  {
    name: 'left_out',
    inputSchema: { type: 'object' },
    run: { kind: 'function', script, function: 'main' },
    enabled: false,
    why: 'edited out',
  },
]);

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  expect(processesLeft()).toEqual([]);
});

function real(): Engine {
  const engine = createEngine({ idleChildren: 1 });
  engines.push(engine);
  return engine;
}

describe('call with a manifest', () => {
  it('prints what a command line prints as the data, and what it warns of on stderr', async () => {
    const { exitCode, stdout, stderr } = await say(['call', command, 'repeat', 'word=a', 'count=2'], {
      engine: real(),
    });
    expect([exitCode, stdout, stderr]).toEqual([0, 'a\na\n', '']);
  });

  it('ends with 1 where the command line fails, and names its exit code without a traceback', async () => {
    const words = ['call', command, 'repeat', 'word=a', 'fail=7'];
    const { exitCode, stdout, stderr } = await say(words, { engine: real() });
    expect([exitCode, stdout]).toEqual([1, 'a\n']);
    expect(stderr).toContain('about to fail\n');
    expect(stderr).toContain('PROCESS_FAILED: The script exited with code 7');
    expect(stderr).not.toContain('Traceback');
  });

  it('prints one JSON object with --json, and what the script prints on stderr', async () => {
    const { stdout, stderr } = await say(['call', command, 'repeat', 'word=a', '--json'], { engine: real() });
    expect([JSON.parse(stdout), stderr]).toEqual([expect.objectContaining({ value: null, stdout: 'a\n' }), 'a\n']);
  });

  it('passes a word as text where the parameter takes text alone', async () => {
    const seen: ScriptRun[] = [];
    const engine = {
      run: async (work: ScriptRun) => {
        seen.push(work);
        return resultOf(null);
      },
    };
    for (const word of ['word=5', 'word=true', 'word=[1]', 'word=1.10']) {
      await say(['call', command, 'repeat', word, 'count=3'], { engine });
    }
    expect(seen.map(({ argv }) => argv?.at(-1))).toEqual(['5', 'true', '[1]', '1.10']);
    expect(seen[0]?.argv?.slice(0, -1).join(' ')).toMatch(/--count[ =]3/);
  });

  it('refuses wrong arguments before anything runs', async () => {
    const engine = { run: () => Promise.reject(new Error('not to be asked')) };
    const { exitCode, stderr } = await say(['call', command, 'repeat', 'count=many'], { engine });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^INVALID_ARGUMENTS: .*word/)]);
  });

  it.each([
    ['repaet', /no tool "repaet" \(did you mean repeat\?\)/],
    ['left_out', /left_out is not enabled: edited out/],
  ])('refuses %s', async (name, reason) => {
    const { exitCode, stderr } = await say(['call', command, name]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(reason)]);
  });

  it('refuses a manifest that is none', async () => {
    const file = join(folderWith({ 'x.json': '{}' }), 'x.json');
    const { exitCode, stderr } = await say(['call', file, 'f']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('INVALID_MANIFEST')]);
  });
});

describe('call with a script', () => {
  const folder = folderWith({
    'tools.py': [
      'def label(code: str, number: int = 0) -> str:',
      '    return f"{code!r} {number!r}"',
      '',
      'def _hidden(x): return x',
      '',
      'made = lambda: "made"',
    ].join('\n'),
    'off.py': 'from mcp_execution import tool\n\n@tool(name="added", enabled=False)\ndef add(n: int): return n + 1\n',
    'other.py': 'def twice(n: int) -> int:\n    return n * 2\n',
    'greet.py': [
      'import argparse',
      'parser = argparse.ArgumentParser()',
      'parser.add_argument("name")',
      'if __name__ == "__main__":',
      '    print("hello", parser.parse_args().name)',
    ].join('\n'),
  });
  const environment = { PATH: process.env.PATH, MCP_EXECUTION_CACHE_DIR: folderWith({}) };
  const call = (...words: string[]) => say(['call', ...words], { engine: real(), environment });

  it('reads words with the parameters of the function in mind', async () => {
    const { stdout } = await call(join(folder, 'tools.py'), 'label', 'code=7', 'number=7');
    expect(stdout).toBe("'7' 7\n");
  });

  it('calls functions that are no tools as they are', async () => {
    expect((await call(join(folder, 'tools.py'), '_hidden', 'x=1')).stdout).toBe('1\n');
    expect((await call(join(folder, 'tools.py'), 'made')).stdout).toBe('made\n');
  });

  it('calls what is not enabled, by the name of the tool and of the function', async () => {
    expect((await call(join(folder, 'off.py'), 'added', 'n=1')).stdout).toBe('2\n');
    expect((await call(join(folder, 'off.py'), 'add', 'n=1')).stdout).toBe('2\n');
  });

  it('calls the command line of a script by the name of the script', async () => {
    expect((await call(join(folder, 'greet.py'), 'greet', 'name=5')).stdout).toBe('hello 5\n');
    const { exitCode, stderr } = await call(join(folder, 'greet.py'), 'gret');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('greet')]);
  });

  it('calls a tool of any script of a folder', async () => {
    expect((await call(folder, 'twice', 'n=4')).stdout).toBe('8\n');
    const { exitCode, stderr } = await call(folder, 'thrice', 'n=4');
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/UNKNOWN_TOOL.*twice/)]);
  });

  it('says what is wrong with a script that is broken or not there', async () => {
    const broken = join(folderWith({ 'broken.py': 'def f(:\n' }), 'broken.py');
    expect(await call(broken, 'f')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SYNTAX_ERROR') });
    const nowhere = join(folder, 'nowhere.py');
    expect(await call(nowhere, 'f')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('INVALID_SCRIPT') });
  });

  it('asks the engine as before for a script that cannot be discovered', async () => {
    const seen: FunctionCall[] = [];
    const engine = {
      call: async (work: FunctionCall) => {
        seen.push(work);
        return resultOf(null);
      },
    };
    await say(['call', 'nowhere.py', 'f', 'a=1'], { engine });
    expect(seen).toEqual([{ script: 'nowhere.py', function: 'f', args: { a: 1 } }]);
  });
});
