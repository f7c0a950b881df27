import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { discoverScripts } from '../../src/manifest/process.js';
import { findPython } from '../../src/python/interpreter.js';
import { createFolder, writeExecutable } from '../interpreter/scripts.js';

const base = await findPython();

const diesAtB = `
import json, subprocess, sys
scripts = json.load(sys.stdin)["scripts"]
before = scripts[: next((i for i, script in enumerate(scripts) if script.endswith("b.py")), len(scripts))]
subprocess.run([sys.executable] + sys.argv[1:], input=json.dumps({"scripts": before}), text=True)
sys.exit(9 if len(before) < len(scripts) else 0)
`;

describe('the discovery process', () => {
  it('that dies costs the script it read, and no other', async () => {
    const { folder, scripts, options } = await scene(`exec "${base.executable}" "$0.dies" "$@"`, 'a', 'b', 'c');
    await writeFile(join(folder, 'python.dies'), diesAtB);
    const found = await discoverScripts(scripts, options);
    expect(found).toMatchObject([
      { script: { path: scripts[0] } },
      {
        path: scripts[1],
        error: { code: 'WIRE_BROKEN', details: { reference: expect.any(String), file: scripts[1] } },
      },
      { script: { path: scripts[2] } },
    ]);
  });

  it('that always dies is an error with a reference, whose detail is in the log', async () => {
    const { scripts, options } = await scene('echo "no such thing" >&2; exit 3', 'a', 'b', 'c', 'd');
    const lines: string[] = [];
    const log = createLog({ level: 'error', write: (line) => void lines.push(line) });
    const failure = await discoverScripts(scripts, { ...options, log }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'WIRE_BROKEN',
      message: expect.stringMatching(/ended before it had answered \(reference \w+\)/),
    });
    expect(lines.at(-1)).toContain('no such thing');
  });

  it.each([
    'echo rubbish',
    'echo "{}"',
    `echo '{"path": "/elsewhere.py", "problem": {"code": "SYNTAX_ERROR", "message": "x"}}'`,
  ])('that answers nonsense is stopped: %s', async (line) => {
    const { scripts, options } = await scene(`${line}; exec sleep 1000`, 'a');
    expect(await discoverScripts(scripts, options)).toMatchObject([
      { error: { code: 'WIRE_BROKEN', message: expect.stringContaining('answered nonsense') } },
    ]);
  });

  it('that takes too long is stopped', async () => {
    const { scripts, options } = await scene('exec sleep 1000', 'a');
    expect(await discoverScripts(scripts, { ...options, timeoutMs: 50 })).toMatchObject([
      { error: { code: 'WIRE_BROKEN', message: expect.stringContaining('took too long') } },
    ]);
  });

  it('ends when it is cancelled', async () => {
    const { folder, scripts, options } = await scene(`echo $$ > "$0.new"; mv "$0.new" "$0.pid"; exec sleep 1000`, 'a');
    const controller = new AbortController();
    const working = discoverScripts(scripts, { ...options, signal: controller.signal });
    await expect.poll(() => existsSync(join(folder, 'python.pid'))).toBe(true);
    controller.abort();
    await expect(working).rejects.toMatchObject({ code: 'CANCELLED' });
    const pid = Number(await readFile(join(folder, 'python.pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('executes nothing of a script', async () => {
    const folder = await createFolder();
    const script = join(folder, 'writes.py');
    await writeFile(script, `open(${JSON.stringify(join(folder, 'trace'))}, 'w').write('x')\ndef f(): ...\n`);
    await discoverScripts([script], { cacheDir: join(folder, 'cache') });
    expect(existsSync(join(folder, 'trace'))).toBe(false);
  });
});

/** A Python that answers for itself, and does something else when it should discover. */
async function scene(instead: string, ...names: readonly string[]) {
  const folder = await createFolder();
  const python = join(folder, 'python');
  const answer = `mcp-execution-interpreter:${JSON.stringify({ ...base, executable: python })}`;
  await writeExecutable(python, `case "$*" in *discover) ${instead} ;; *) echo '${answer}' ;; esac`);
  const scripts = names.map((name) => join(folder, `${name}.py`));
  for (const script of scripts) await writeFile(script, 'def f(): ...\n');
  return { folder, scripts, options: { python, cacheDir: join(folder, 'cache') } };
}
