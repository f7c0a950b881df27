import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, withGap } from '../../../src/codemode/execute/cut.js';
import { createKeptRuns } from '../../../src/codemode/execute/kept-runs.js';
import { createRunId, isRunId } from '../../../src/codemode/execute/run-id.js';
import { createSpill } from '../../../src/codemode/execute/spill.js';
import { askMethods } from '../../../src/codemode/script-runner.js';
import { LimitError } from '../../../src/errors.js';
import { createLog } from '../../../src/log.js';
import { createFolder } from '../../interpreter/scripts.js';
import { fakeFigures, fakeRunner } from '../fakes.js';
import { openScene } from './scene.js';

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
const silent = createLog({ level: 'silent' });

describe('the output of a run', () => {
  it('that is short is shown as it is, and leaves nothing behind', async () => {
    const { run, workspace } = await openScene(async ({ print }) => {
      await print('naïve');
      await print('oops', 'stderr');
      return { answer: 42 };
    });
    expect(await run()).toMatchObject({ stdout: 'naïve\n', stderr: 'oops\n', value: { answer: 42 }, cut: [] });
    expect((await readdir(workspace.runs)).sort()).toEqual(['.gitignore', 'log.jsonl']);
  });

  it('that is long shows its beginning and end, and says how a next script gets all of it', async () => {
    const scene = await openScene(async ({ print }) => {
      for (const line of lines(1000)) await print(line);
      return null;
    });
    const { run: id, stdout, cut } = await scene.run({ limits: { shownBytes: 1000 } });
    const whole = `${lines(1000).join('\n')}\n`;
    const [first] = cut;
    expect(cut).toHaveLength(1);
    expect(first).toMatchObject({ stream: 'stdout', bytes: whole.length });
    const leftOut = whole.length - (first?.shownBytes ?? 0);
    expect(first?.shownBytes).toBe(1000);
    expect(stdout).toMatch(/^line 0\nline 1\n/);
    expect(stdout).toMatch(/line 998\nline 999\n$/);
    expect(stdout).toContain(
      `\n[… ${leftOut} bytes of stdout are left out. All of it, in a next script: from mcp_execution import read_output; read_output("${id}") …]\n`,
    );
    expect(await readFile(first?.file ?? '', 'utf8')).toBe(whole);
    expect(await scene.code.readOutput({ run: id })).toBe(whole);
    const folder = await stat(join(scene.workspace.runs, id));
    const file = await stat(first?.file ?? '');
    expect([folder.mode & 0o077, file.mode & 0o077]).toEqual([0, 0]);
  });

  it('is read by a next script', async () => {
    const scene = await openScene(async ({ ask, print, work }) => {
      if (work.argv?.[0] !== undefined) return ask(askMethods.readOutput, { run: work.argv[0], stream: 'stderr' });
      for (const line of lines(200)) await print(line, 'stderr');
      return null;
    });
    const limits = { shownBytes: 256 };
    const { run: id, stderr } = await scene.run({ limits });
    expect(stderr).toContain(`read_output("${id}", "stderr")`);
    expect((await scene.run({ args: [id] })).value).toBe(`${lines(200).join('\n')}\n`);
  });

  it('as a value that is large is null, with its beginning and end as text', async () => {
    const value = lines(500);
    const scene = await openScene(async () => value);
    const result = await scene.run({ limits: { shownBytes: 256 } });
    const [cut] = result.cut;
    expect(result.value).toBeNull();
    expect(cut).toMatchObject({ stream: 'value', bytes: JSON.stringify(value).length });
    expect(cut?.shown).toMatch(/^\["line 0".*\n\[… \d+ bytes of value .*"value"\) …\]\n.*"line 499"\]$/s);
    expect(JSON.parse(await scene.code.readOutput({ run: result.run, stream: 'value' }))).toEqual(value);
  });

  it('that the runner itself had to cut is kept whole as it came, in bounds', async () => {
    const count = 200_000;
    const runner = fakeRunner(async () => null);
    const scene = await openScene(async () => null, {
      runner: {
        ...runner,
        async run(_work, { onEvent } = {}) {
          for (const line of lines(count)) await onEvent?.({ type: 'output', stream: 'stdout', line });
          const stdout = `${lines(5000).join('\n')}\n[… 9 bytes cut …]\nline ${count - 1}\n`;
          return { value: null, stdout, stderr: '', logs: [], files: [], figures: fakeFigures };
        },
      },
    });
    const { run: id, stdout, cut } = await scene.run();
    const whole = `${lines(count).join('\n')}\n`;
    expect(cut).toMatchObject([{ stream: 'stdout', bytes: whole.length }]);
    expect((await scene.code.readOutput({ run: id })) === whole).toBe(true);
    expect(stdout).toMatch(/^line 0\n/);
    expect(stdout).toMatch(/line 199999\n$/);
  });

  it('of a failed run is cut likewise', async () => {
    const scene = await openScene(async ({ print }) => {
      for (const line of lines(1000)) await print(line);
      throw new LimitError('TIMEOUT', 'too slow', { stdout: `${lines(1000).join('\n')}\n`, stderr: 'x' });
    });
    const failure = await scene.run({ limits: { shownBytes: 300 } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'TIMEOUT',
      message: 'too slow',
      details: { stdout: expect.stringContaining('read_output('), stderr: 'x', run: expect.any(String), calls: [] },
    });
  });

  it('is not kept where nothing is to be, and says so', async () => {
    const scene = await openScene(
      async ({ print }) => {
        for (const line of lines(1000)) await print(line);
        return null;
      },
      { settings: { keepRuns: 0 } },
    );
    const { stdout, cut } = await scene.run({ limits: { shownBytes: 300 } });
    expect(stdout).toContain('are left out, and were not kept');
    expect(cut[0]?.file).toBeUndefined();
    expect((await readdir(scene.workspace.runs)).filter(isRunId)).toEqual([]);
  });

  it('that cannot be kept does not make the run fail', async () => {
    const scene = await openScene(async ({ print }) => {
      for (const line of lines(1000)) await print(line);
      return 7;
    });
    await rm(scene.workspace.runs, { recursive: true });
    await writeFile(scene.workspace.runs, 'in the way');
    const { value, stdout } = await scene.run({ limits: { shownBytes: 300 } });
    expect(value).toBe(7);
    expect(stdout).toContain('were not kept');
  });

  it('has its log messages in bounds', async () => {
    const logs = lines(1000).map((message) => ({ level: 'info' as const, message }));
    const scene = await openScene(async () => null, {
      runner: {
        ...fakeRunner(async () => null),
        run: async () => ({ value: null, stdout: '', stderr: '', logs, files: [], figures: fakeFigures }),
      },
    });
    const result = await scene.run({ limits: { shownBytes: 256 } });
    expect(result.logs.length).toBeLessThan(40);
    expect(result.warnings).toEqual([expect.stringMatching(/^The last \d+ log messages are left out/)]);
  });

  it('goes to whoever follows it as it comes, whose mistakes harm nothing', async () => {
    const seen: string[] = [];
    const scene = await openScene(async ({ print }) => {
      await print('one').catch(() => undefined);
      await print('two');
      return null;
    });
    const { stdout } = await scene.run({
      onEvent(event) {
        if (event.type !== 'output') return;
        seen.push(event.line);
        if (event.line === 'one') throw new Error('my own mistake');
      },
    });
    expect(seen).toEqual(['one', 'two']);
    expect(stdout).toBe('one\ntwo\n');
  });
});

describe('a text that is cut', () => {
  it('has whole characters of its beginning and end, and as many bytes as may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 8, max: 300 }), (text, maxBytes) => {
        const whole = Buffer.from(text).toString();
        const cut = cutText(whole, maxBytes);
        if (cut === undefined) return Buffer.byteLength(whole) <= maxBytes;
        const { head, tail, shownBytes } = cut;
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(shownBytes).toBeLessThanOrEqual(maxBytes);
        expect(shownBytes).toBeGreaterThan(maxBytes - 7);
        return Buffer.byteLength(head) + Buffer.byteLength(tail) === shownBytes;
      }),
      { numRuns: 60 },
    );
  });

  it('has the line about what is left out on a line of its own', () => {
    expect(withGap({ head: 'a', tail: 'b', shownBytes: 2 }, '…')).toBe('a\n…\nb');
    expect(withGap({ head: 'a\n', tail: 'b', shownBytes: 3 }, '…')).toBe('a\n…\nb');
  });
});

describe('kept runs', () => {
  it('are the newest, as many as are asked for', async () => {
    const runs = await createFolder();
    const kept = createKeptRuns({ workspace: { runs }, keepRuns: 3, log: silent });
    const ids = lines(6).map((_, day) => createRunId(new Date(Date.UTC(2026, 0, day + 1))));
    await mkdir(join(runs, 'notes of a person'));
    for (const id of ids) await kept.write(id, 'stdout', 'x');
    await kept.prune();
    expect((await readdir(runs)).filter(isRunId).sort()).toEqual(ids.slice(3));
    expect(await readdir(runs)).toContain('notes of a person');
  });

  it('take no more room than there is for all, beside the newest', async () => {
    const runs = await createFolder();
    const kept = createKeptRuns({ workspace: { runs }, keepRuns: 100, log: silent, maxAllBytes: 250 });
    const ids = lines(4).map((_, day) => createRunId(new Date(Date.UTC(2026, 0, day + 1))));
    for (const id of ids) await kept.write(id, 'value', 'x'.repeat(100));
    await kept.prune();
    expect((await readdir(runs)).sort()).toEqual(ids.slice(2));
  });

  it('stop at the most that one output may take', async () => {
    const runs = await createFolder();
    const kept = createKeptRuns({ workspace: { runs }, keepRuns: 1, log: silent, maxStreamBytes: 1000 });
    const run = createRunId();
    const spill = kept.spill(run, 'stdout');
    for (const line of lines(500)) await spill.write(`${line}\n`);
    expect(await spill.end()).toBe(true);
    const { size } = await stat(kept.pathOf(run, 'stdout'));
    expect(size).toBeLessThanOrEqual(1000);
    expect(size).toBeGreaterThan(950);
  });

  it('that the disk has no room for are told of once, and nobody waits for them', async () => {
    const failures: unknown[] = [];
    const spill = createSpill({
      path: join(await createFolder(), 'x'),
      maxBytes: 1e9,
      prepare: () => Promise.reject(new Error('disk full')),
      onFailure: (error) => failures.push(error),
    });
    await spill.write('x'.repeat(300_000));
    await spill.write('more');
    expect(await spill.end()).toBe(false);
    expect(failures).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')('leave no part behind that the disk had room for', async () => {
    const runs = await createFolder();
    const kept = createKeptRuns({ workspace: { runs }, keepRuns: 3, log: silent });
    const run = createRunId();
    await mkdir(join(runs, run));
    for (const stream of ['stdout', 'value'] as const) await symlink('/dev/full', kept.pathOf(run, stream));
    const spill = kept.spill(run, 'stdout');
    spill.write('x');
    expect([await spill.end(), await kept.write(run, 'value', 'x')]).toEqual([false, false]);
    expect(await readdir(join(runs, run))).toEqual([]);
  });

  it('are found by ids alone that sort by time', () => {
    const [early, late] = [createRunId(new Date(0)), createRunId(new Date(1e12))];
    expect(early < late && isRunId(early)).toBe(true);
    expect(['..', '', `${early}/../x`, `${early}\n`].filter(isRunId)).toEqual([]);
  });
});
