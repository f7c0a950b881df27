import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../engine/harness.js';
import { type AskedRun, caseOf, reportOf, sayWithHarness } from './fake-harness.js';

const suiteText = `version: 1
server: { command: node, args: [server.mjs, --port, "80"] }
cases:
  - name: adds
    tool: add
    validate: { file: check.py }
`;

/** Does one thing after the other, each when the runs before it are over. */
async function watching(
  steps: readonly (() => void)[],
  run: (asked: AskedRun) => Promise<void> | void = () => {},
  target = join(folder, 'suite.yaml'),
) {
  const interruption = new AbortController();
  const left = [...steps, () => interruption.abort()];
  const said = await sayWithHarness(
    ['test', target, '--watch'],
    async (asked) => {
      await run(asked);
      return reportOf([caseOf('adds')]);
    },
    {
      interrupt: interruption.signal,
      onText: (text) => {
        if (text.includes('Waiting for changes')) left.shift()?.();
      },
    },
  );
  return { ...said, told: said.stderr.split('\n').filter((line) => line.includes('changed')) };
}

const folder = folderWith({ 'suite.yaml': suiteText, 'check.py': 'pass', 'server.mjs': '1' });
const write = (name: string, text: string) => () => writeFileSync(join(folder, name), text);

describe('mcp-exec test --watch', () => {
  it('runs again when a suite, or a file that it names, changes, and ends with 130', async () => {
    const said = await watching([
      write('suite.yaml', `${suiteText}\n# more\n`),
      write('check.py', 'fail("no")'),
      write('server.mjs', '2'),
    ]);
    expect(said).toMatchObject({ exitCode: 130, harnessClosed: true });
    expect(said.runs).toHaveLength(4);
    expect(said.told).toEqual(
      ['suite.yaml', 'check.py', 'server.mjs'].map((name) => `${name} changed, running again.`),
    );
    expect(said.stdout.match(/1 passed/g)).toHaveLength(4);
  });

  it('waits for a suite that is wrong to be mended', async () => {
    const said = await watching([write('suite.yaml', 'version: 2\n'), write('suite.yaml', suiteText)]);
    expect(said.stderr).toMatch(/INVALID_SUITE: .*suite\.yaml, line 1/);
    expect(said.runs).toHaveLength(2);
  });

  it('gives a run up that a change overtakes, and says nothing of it', async () => {
    let isFirst = true;
    const said = await watching([], async ({ options: { signal } }) => {
      if (!isFirst) return;
      isFirst = false;
      const overtaken = new Promise((resolve) => signal?.addEventListener('abort', resolve));
      write('check.py', 'pass # again')();
      await overtaken;
    });
    expect(said.runs).toHaveLength(2);
    expect(said.stdout.match(/1 passed/g)).toHaveLength(1);
  });

  it('of a folder runs suites that are new in it, and goes on where all are gone for a while', async () => {
    const place = folderWith({ 'suite.yaml': suiteText, 'check.py': 'pass', 'server.mjs': '1' });
    const said = await watching(
      [
        () => writeFileSync(join(place, 'more.suite.yml'), suiteText),
        () => rmSync(join(place, 'more.suite.yml')),
        () => rmSync(join(place, 'suite.yaml')),
        () => writeFileSync(join(place, 'other.suite.yaml'), suiteText),
      ],
      undefined,
      place,
    );
    expect(said.runs.map(({ suites }) => suites.map(({ file }) => basename(file)))).toEqual([
      ['suite.yaml'],
      ['more.suite.yml', 'suite.yaml'],
      ['suite.yaml'],
      ['other.suite.yaml'],
    ]);
    expect(said.stderr).toContain('has no suite');
    expect(said.stderr).toContain('Waiting for changes of 3 files and 1 folder; Ctrl-C ends.');
    expect(said.exitCode).toBe(130);
  });
});
