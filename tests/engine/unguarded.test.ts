import { afterEach, describe, expect, it } from 'vitest';
import { limitNames, parseSettings } from '../../src/config.js';
import { scriptEnvironment } from '../../src/engine/environment.js';
import { encodeFrame } from '../../src/engine/frames.js';
import type { Launcher } from '../../src/engine/launch/launcher.js';
import { createWarmLauncher } from '../../src/engine/launch/warm.js';
import type { Worker } from '../../src/engine/launch/worker.js';
import { readFields } from '../../src/engine/messages.js';
import { findPython } from '../../src/python/interpreter.js';
import type { JsonObject } from '../../src/toolbox.js';
import { fixture, processesLeft } from './harness.js';

const settings = parseSettings();
const limits = Object.fromEntries(limitNames.map((name) => [name, settings[name]])) as unknown as typeof settings;
let launcher: Launcher;

/** The way of systems without guards, Windows above all, as far as Linux can take it. */
describe('a warm interpreter without a guard', () => {
  afterEach(async () => {
    await launcher.close();
    await expect.poll(processesLeft).toEqual([]);
  });

  it('answers one call and is gone', async () => {
    const worker = await launch('says_a_word.py');
    expect(await ask(worker, 'say', { word: 'héllo' })).toMatchObject({ value: 'héllo' });
    worker.finished();
    expect(await worker.gone).toMatchObject({ exitCode: 0, signal: null });
  });

  it('tells the files that its import read', async () => {
    await launch('says_a_word.py');
    expect((await launcher.ready).files).toEqual([fixture('says_a_word.py')]);
  });

  it('that is killed takes its children with it', async () => {
    const worker = await launch('leaves_a_subprocess.py');
    worker.send(request('leave', { hang: true }));
    await expect.poll(() => processesLeft().length).toBeGreaterThan(1);
    worker.kill();
    expect(await worker.gone).toMatchObject({ signal: 'SIGKILL' });
  });

  it('that cannot import its script says why', async () => {
    await expect(launch('raises_at_import.py')).rejects.toMatchObject({ code: 'EXCEPTION' });
  });
});

async function launch(script: string): Promise<Worker> {
  const python = await findPython();
  const spec = { script: fixture(script), limits, importTimeoutMs: settings.importTimeoutMs, sandbox: null };
  launcher = createWarmLauncher(python, scriptEnvironment(process.env), spec, 1 << 20, false);
  return launcher.launch();
}

function request(name: string, args: JsonObject): Buffer {
  return encodeFrame('Q', { kind: 'function', script: '', function: name, args, mark: '\0mark\0', keep: false });
}

function ask(worker: Worker, name: string, args: JsonObject): Promise<unknown> {
  return new Promise((resolve) => {
    worker.listen({ onFrame: (_type, payload) => resolve(readFields(payload)), onOutput() {} });
    worker.send(request(name, args));
  });
}
