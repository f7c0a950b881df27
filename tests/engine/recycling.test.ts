import { execFileSync } from 'node:child_process';
import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/work.js';
import type { CallEvent } from '../../src/toolbox.js';
import { collectEvents, describeLaunchers, failureOf, fixture, folderWith } from './harness.js';
import { childrenOf, isAlive, outcomeOf, parentOf, tellProcess, until } from './processes.js';

const isWaiting = (event: CallEvent) => event.type === 'output' && event.line === 'waiting';

const pidIn = (event: CallEvent) => Number(event.type === 'output' && event.line.split(' ')[1]);

describeLaunchers('an edit', (makeEngine) => {
  it('of the script, of a module or of data read at import is seen by the next call', async () => {
    const engine = makeEngine({ idleChildren: 2 });
    const folder = folderWith({
      'main.py': `
import pathlib

import part

data = pathlib.Path(__file__).with_name("data.txt").read_text()


def tell() -> list[str]:
    return ["script 1", part.NAME, data]
`,
      'part.py': 'NAME = "part 1"\n',
      'data.txt': 'data 1',
    });
    const script = join(folder, 'main.py');
    const tell = async () => (await engine.call({ script, function: 'tell' })).value;
    expect(await tell()).toEqual(['script 1', 'part 1', 'data 1']);
    writeFileSync(join(folder, 'data.txt'), 'data two');
    expect(await tell()).toEqual(['script 1', 'part 1', 'data two']);
    writeFileSync(join(folder, 'part.py'), 'NAME = "part two"\n');
    expect(await tell()).toEqual(['script 1', 'part two', 'data two']);
    writeFileSync(script, 'def tell() -> str:\n    return "another script"\n');
    expect(await tell()).toBe('another script');
  });

  it('during the import is seen by the next call', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const waiting = 'import pathlib\n\nopen(pathlib.Path(__file__).with_name("pipe")).read()\n';
    const version = (word: string) => `def tell() -> str:\n    return "${word}"\n`;
    const folder = folderWith({ 'slow.py': `${version('old')}${waiting}` });
    const script = join(folder, 'slow.py');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    utimesSync(script, 1, 1);
    const first = engine.call({ script, function: 'tell' });
    const pipe = await open(join(folder, 'pipe'), 'w');
    writeFileSync(script, version('new'));
    await pipe.close();
    await first;
    expect((await engine.call({ script, function: 'tell' })).value).toBe('new');
  });

  it('leaves a running call on the version that it began with, and its traceback with the lines of then', async () => {
    const engine = makeEngine({ idleChildren: 1 });
    const folder = folderWith({});
    const script = join(folder, 'edited.py');
    const pipe = join(folder, 'pipe');
    copyFileSync(fixture('raises_when_told.py'), script);
    execFileSync('mkfifo', [pipe]);
    const { onEvent, next } = collectEvents();
    const failed = failureOf(engine.call({ script, function: 'fail', args: { pipe } }, { onEvent }));
    await next(isWaiting);
    writeFileSync(script, '\n\n\n\ndef fail(pipe: str) -> str:\n    return "new version"\n');
    expect((await engine.call({ script, function: 'fail', args: { pipe } })).value).toBe('new version');
    await writeFile(pipe, 'old version');
    const error = await failed;
    expect(error).toMatchObject({ code: 'EXCEPTION', details: { type: 'ValueError' } });
    expect(error.details.traceback).toContain('raise ValueError(word)  # the line as it was');
  });
});

describeLaunchers('scripts', (makeEngine) => {
  const scripts = (count: number) => {
    const names = Array.from({ length: count }, (_, number) => `script_${number}.py`);
    const folder = folderWith(
      Object.fromEntries(names.map((name) => [name, `def tell() -> str:\n    return "${name}"\n`])),
    );
    return names.map((name) => ({ name, path: join(folder, name) }));
  };
  const tell = (engine: Engine, script: string) => outcomeOf(engine.call({ script, function: 'tell' }));

  it('beyond the set number are let go, the least recently used one first', async () => {
    const engine = makeEngine({ maxScripts: 2, idleChildren: 1 });
    const [first, second, third] = scripts(3).map(({ path }) => path) as [string, string, string];
    await tell(engine, first);
    await tell(engine, second);
    await tell(engine, first);
    await until(() => engine.status().scripts.every(({ busy }) => busy === 0));
    await tell(engine, third);
    const kept = engine.status().scripts.map(({ script }) => script);
    expect(kept.map((script) => /script_\d/.exec(script)?.[0])).toEqual(['script_0', 'script_2']);
    expect(await tell(engine, second)).toBe('script_1.py');
  });

  it('that are called at once, more than may be kept, are all served and then let go', async () => {
    const engine = makeEngine({ maxScripts: 1, idleChildren: 1, concurrency: 4 });
    const called = scripts(4);
    expect(await Promise.all(called.map(({ path }) => tell(engine, path)))).toEqual(called.map(({ name }) => name));
    await until(() => engine.status().scripts.every(({ busy }) => busy === 0));
    expect(await tell(engine, called[0]?.path ?? '')).toBe('script_0.py');
    expect(engine.status().scripts.length).toBeLessThanOrEqual(2);
  });
});

describeLaunchers('a process that is killed from outside', (makeEngine, launcher) => {
  const workersBeside = ({ parent }: { parent: number }) =>
    launcher === 'fork' ? childrenOf(parent) : childrenOf(process.pid).flatMap(childrenOf);

  it('while it is idle is replaced, and no call notices', async () => {
    const engine = makeEngine({ idleChildren: 2 });
    const told = await tellProcess(engine);
    const idle = () => workersBeside(told).filter((pid) => pid !== told.pid);
    const isComplete = () => engine.status().scripts.every((script) => script.busy === 0 && script.idle === 2);
    await until(isComplete);
    const killed = idle();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await until(() => idle().length === 2 && !idle().some((pid) => killed.includes(pid)) && isComplete());
    expect(killed).not.toContain((await tellProcess(engine)).pid);
  });

  it('while it serves ends its call with the signal, and the next call works', async () => {
    const engine = makeEngine();
    const { onEvent, next } = collectEvents();
    const hang = { script: fixture('stops_itself.py'), function: 'stop' };
    const failed = failureOf(engine.call(hang, { onEvent }));
    process.kill(pidIn(await next((event) => event.type === 'output')), 'SIGKILL');
    expect(await failed).toMatchObject({ code: 'PROCESS_FAILED', details: { signal: 'SIGKILL' } });
    expect((await tellProcess(engine)).calls).toBe(1);
  });

  it('with the process that it came from ends its call, and the next call works', async () => {
    const engine = makeEngine({ logLevel: 'silent' });
    const { onEvent, next } = collectEvents();
    const failed = failureOf(engine.call({ script: fixture('stops_itself.py'), function: 'stop' }, { onEvent }));
    const pid = pidIn(await next((event) => event.type === 'output'));
    process.kill(parentOf(pid), 'SIGKILL');
    expect(await failed).toMatchObject({ code: 'PROCESS_FAILED', details: { signal: 'SIGKILL' } });
    await until(() => !isAlive(pid));
    const word = { script: fixture('says_a_word.py'), function: 'say', args: { word: 'next' } };
    expect((await engine.call(word)).value).toBe('next');
  });

  if (launcher === 'fork') {
    it('with the template ends its call, and the next call works', async () => {
      const engine = makeEngine({ logLevel: 'silent' });
      const { parent, pid } = await tellProcess(engine, { isolation: 'shared' });
      const { onEvent, next } = collectEvents();
      const leave = { script: fixture('leaves_a_daemon.py'), function: 'leave', args: { hang: true } };
      const failed = failureOf(engine.call(leave, { onEvent }));
      await next((event) => event.type === 'output' && event.line.startsWith('left '));
      process.kill(parentOf(parent), 'SIGKILL');
      expect((await failed).code).toBe('PROCESS_FAILED');
      await until(() => !isAlive(pid) && !isAlive(parent));
      expect((await tellProcess(engine)).calls).toBe(1);
      expect((await tellProcess(engine, { isolation: 'shared' })).calls).toBe(1);
    });
  }
});
