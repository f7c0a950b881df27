import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flagName, settingNames } from '../../src/config.js';
import { HostError } from '../../src/errors.js';
import { folderWith } from '../engine/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { type AskedRun, caseOf, failedCase, reportOf, sayWithHarness } from './fake-harness.js';

const suiteText = `version: 1
server: { command: node, args: [server.mjs] }
cases:
  - { name: adds, tool: add, tags: [smoke] }
  - { name: subtracts, tool: subtract }
`;

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await createFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const folder = folderWith({ 'suite.yaml': suiteText });
const suite = join(folder, 'suite.yaml');

describe('mcp-exec test', () => {
  it('runs a suite, prints what came of it to stdout, and closes the harness', async () => {
    const said = await sayWithHarness(['test', suite]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '', harnessClosed: true });
    expect(said.stdout).toContain('1 passed');
    expect(said.runs.map(({ suites }) => suites.map(({ file }) => file))).toEqual([[suite]]);
  });

  it('ends with 1 where a case failed, and says which', async () => {
    const said = await sayWithHarness(['test', suite], () => reportOf([caseOf('adds'), failedCase]));
    expect(said.exitCode).toBe(1);
    expect(said.stdout).toContain('subtracts');
    expect(said.stdout).toContain('1 passed, 1 failed');
  });

  it('hands the flags over', async () => {
    const flags = [
      '--filter',
      'add',
      '--tag',
      'a,b',
      '--tag',
      'smoke',
      '--bail',
      '3',
      '--repeat',
      '5',
      '--parallel',
      '4',
    ];
    const { runs, made } = await sayWithHarness([
      'test',
      suite,
      ...flags,
      '--update-snapshots',
      '--python',
      '/usr/bin/python3',
    ]);
    expect(runs[0]?.options).toMatchObject({
      filter: 'add',
      tags: ['a', 'b', 'smoke'],
      bail: 3,
      repeat: 5,
      parallel: 4,
      updateSnapshots: true,
      refuseNewSnapshots: false,
    });
    expect(made?.engine).toMatchObject({ python: '/usr/bin/python3' });
  });

  it.each([
    ['--bail SUITE', 1],
    ['SUITE --bail', 1],
    ['--bail=2 SUITE', 2],
    ['--bail 0 SUITE', 0],
    ['--bail --verbose SUITE', 1],
  ])('takes %s for %i failed cases, and the word behind a lone --bail for a suite', async (line, bail) => {
    const words = line.split(' ').map((word) => (word === 'SUITE' ? suite : word));
    const { runs } = await sayWithHarness(['test', ...words]);
    expect(runs[0]).toMatchObject({ suites: [{ file: suite }], options: { bail } });
  });

  it.each([
    [['--repeat', '0'], /--repeat.*whole number from 1 to 100,000/],
    [['--parallel', 'many'], /--parallel.*whole number from 1 to 256/],
    [['--bail', '1.5'], /--bail: expected a whole number/],
    [['--jnuit', 'x'], /Did you mean --junit\?/],
    [['--url', 'http://x'], /--url is no flag of test without --record/],
  ])('refuses %j with 2, and runs nothing', async (words, message) => {
    const { exitCode, stderr, runs } = await sayWithHarness(['test', suite, ...words]);
    expect([exitCode, runs]).toEqual([2, []]);
    expect(stderr).toMatch(message);
  });

  it('refuses new snapshots in CI, unless told otherwise', async () => {
    const refuses = async (words: readonly string[], environment: NodeJS.ProcessEnv) => {
      const { runs } = await sayWithHarness(['test', suite, ...words], undefined, { environment });
      return runs[0]?.options.refuseNewSnapshots;
    };
    expect(await refuses([], { CI: 'true' })).toBe(true);
    expect(await refuses(['--ci'], {})).toBe(true);
    expect(await refuses(['--no-ci'], { CI: 'true' })).toBe(false);
    expect(await refuses([], { CI: 'false' })).toBe(false);
    expect(await refuses(['--update-snapshots'], { CI: '1' })).toBe(false);
  });

  it('draws progress for a person, and writes plain lines to a pipe and in CI', async () => {
    const run = ({ options }: AskedRun) => {
      options.onEvent?.({ type: 'suite-started', file: suite, name: 'suite', cases: 1 });
      options.onEvent?.({ type: 'case-finished', report: caseOf('adds') });
      return reportOf([caseOf('adds')]);
    };
    const control = '\u001b';
    expect((await sayWithHarness(['test', suite], run, { outWatched: true })).stdout).toContain(control);
    const scene = { outWatched: true, environment: { CI: 'true' } };
    expect((await sayWithHarness(['test', suite], run, scene)).stdout).not.toContain(control);
    const dumb = { outWatched: true, watched: true, environment: { TERM: 'dumb' } };
    expect((await sayWithHarness(['test', suite], run, dumb)).stdout).not.toContain(control);
    expect((await sayWithHarness(['test', suite], run)).stdout).toContain('adds');
    const aside = await sayWithHarness(['test', suite], run, { watched: true });
    expect(aside.stderr).toContain(control);
    expect(aside.stdout).not.toContain(control);
    expect(aside.stdout).toContain('1 passed');
  });

  it.each([
    [['--filter', 'substracts'], /No case matches --filter substracts; did you mean subtracts\?/],
    [['--filter', '/^x/'], /No case matches --filter \/\^x\/; there are adds, subtracts/],
    [['--filter', '/(/'], /The filter \/\(\/ is no pattern/],
    [['--tag', 'smoek'], /No case matches --tag smoek; did you mean smoke\?/],
    [['--filter', 'subtr', '--tag', 'smoke'], /No case matches --filter subtr and --tag smoke together/],
  ])('says for %j that no case matches, starts nothing, and ends with 2', async (words, message) => {
    const { exitCode, stdout, stderr, runs } = await sayWithHarness(['test', suite, ...words]);
    expect([exitCode, stdout, runs]).toEqual([2, '', []]);
    expect(stderr).toMatch(message);
  });

  it('says that no check matches once they were looked for', async () => {
    const own = await folderOf({ 'suite.yaml': 'version: 1\nserver: { command: node }\nchecks: all\n' });
    const words = ['test', join(own, 'suite.yaml'), '--filter', 'add'];
    const { exitCode, stderr, runs } = await sayWithHarness(words, () => reportOf([]));
    expect([exitCode, runs.length]).toEqual([2, 1]);
    expect(stderr).toContain('No case matches --filter add');
  });

  it('runs of several suites those alone that have a case that is meant', async () => {
    const own = await folderOf({
      'a.suite.yaml': suiteText,
      'b.suite.yaml': suiteText.replaceAll('adds', 'counts'),
      'c.suite.yaml': 'version: 1\nserver: { command: node }\n',
    });
    const { runs } = await sayWithHarness(['test', own, '--filter', 'count']);
    expect(runs[0]?.suites.map(({ file }) => basename(file))).toEqual(['b.suite.yaml']);
    const empty = await sayWithHarness(['test', join(own, 'c.suite.yaml')]);
    expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringContaining('There is no case to run')]);
  });

  it('runs a suite that says of its server alone what it declares', async () => {
    const own = await folderOf({ 'suite.yaml': 'version: 1\nserver: { command: node }\ncapabilities: [tools]\n' });
    expect(await sayWithHarness(['test', own])).toMatchObject({ exitCode: 0, runs: [expect.anything()] });
    expect(await sayWithHarness(['test', own, '--filter', 'x'])).toMatchObject({ exitCode: 2, runs: [] });
  });

  it('ends with 3 where the machine lacks something', async () => {
    const { exitCode, stderr, harnessClosed } = await sayWithHarness(['test', suite], () => {
      throw new HostError('PYTHON_NOT_FOUND', 'No Python was found');
    });
    expect([exitCode, harnessClosed]).toEqual([3, true]);
    expect(stderr).toContain('PYTHON_NOT_FOUND');
  });

  it('keeps the log out of the report: sentences of it, and all of it where that is asked for, go to stderr', async () => {
    const run = ({ log }: AskedRun) => {
      log.warn('A sentence.');
      log.info('an entry', { of: 'a log' });
      return reportOf([caseOf('adds')]);
    };
    expect((await sayWithHarness(['test', suite], run)).stderr).toBe('A sentence.\n');
    const asked = await sayWithHarness(['test', suite, '--log-level', 'info'], run);
    expect(
      asked.stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['A sentence.', 'an entry']);
    expect(asked.stdout).not.toContain('sentence');
  });

  it('reports what was done when it is interrupted, and ends with 130', async () => {
    const interruption = new AbortController();
    const file = join(folder, 'interrupted.json');
    const said = await sayWithHarness(
      ['test', suite, '--json', file],
      ({ options }) => {
        interruption.abort();
        expect(options.signal?.aborted).toBe(true);
        return reportOf([caseOf('adds')], { outcome: 'interrupted' });
      },
      { interrupt: interruption.signal },
    );
    expect(said.exitCode).toBe(130);
    expect(said.stdout).toContain('interrupted');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ outcome: 'interrupted' });
  });
});

describe('help of mcp-exec test', () => {
  it.each([[['test']], [['test', 'init']]])('has examples and every setting for %j', async (words) => {
    const { exitCode, stdout } = await sayWithHarness([...words, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`$ mcp-exec ${words.join(' ')} `);
    for (const name of settingNames) expect(stdout).toMatch(new RegExp(`${flagName(name)} `));
  });
});

describe('suites of mcp-exec test', () => {
  it('are those of folders below, too, but not of what is hidden or installed', async () => {
    const many = await folderOf({ 'suite.yaml': suiteText });
    const below = [
      'a/suite.yaml',
      'b/c/x.suite.yml',
      '.git/suite.yaml',
      'node_modules/y/suite.yaml',
      '__snapshots__/suite.yaml',
    ];
    for (const name of below) {
      await mkdir(dirname(join(many, name)), { recursive: true });
      await writeFile(join(many, name), suiteText);
    }
    await symlink(many, join(many, 'circle'));
    const { exitCode, runs } = await sayWithHarness(['test', many]);
    expect(exitCode).toBe(0);
    const files = runs.flatMap(({ suites }) => suites.map(({ file }) => relative(many, file)));
    expect(files).toEqual(['suite.yaml', join('a', 'suite.yaml'), join('b', 'c', 'x.suite.yml')]);
  });

  it('are those of a folder, sorted and each once', async () => {
    const many = await folderOf({
      'b.suite.yml': suiteText,
      'suite.yaml': suiteText,
      'a.suite.yaml': suiteText,
      'c.suite.json': '{"version":1,"server":{"command":"node"},"cases":[{"name":"a","tool":"b"}]}',
      'other.yaml': 'not one',
      'presuite.yaml': 'not one',
    });
    const { runs } = await sayWithHarness(['test', join(many, 'suite.yaml'), many]);
    const names = ['suite.yaml', 'a.suite.yaml', 'b.suite.yml', 'c.suite.json'].map((name) => join(many, name));
    expect(runs[0]?.suites.map(({ file }) => file)).toEqual(names);
  });

  it('may be named init', async () => {
    const own = await folderOf({ init: suiteText });
    const { runs } = await sayWithHarness(['test', join(own, 'init')]);
    expect(runs).toHaveLength(1);
  });

  it.each([
    ['suit.yaml', /INVALID_SUITE: There is no suite .*suit\.yaml; did you mean suite\.yaml\?/],
    ['empty', /empty has no suite.*mcp-exec test init --out suite\.yaml -- COMMAND/],
  ])('that are not there (%s) end it with 2', async (name, message) => {
    await mkdir(join(folder, 'empty'), { recursive: true });
    const { exitCode, stderr, runs } = await sayWithHarness(['test', suite, join(folder, name)]);
    expect([exitCode, runs]).toEqual([2, []]);
    expect(stderr).toMatch(message);
  });

  it('that are wrong are all told with their places, and none is run', async () => {
    const wrong = await folderOf({
      'a.suite.yaml': 'version: 1\nsrever: {}\n',
      'b.suite.yaml': 'version: 1\nserver: { command: [ }\n',
      'c.suite.yaml': suiteText,
    });
    const { exitCode, stdout, stderr, runs } = await sayWithHarness(['test', wrong]);
    expect([exitCode, stdout, runs]).toEqual([2, '', []]);
    expect(stderr).toMatch(/^.*a\.suite\.yaml, line 2, column 1: /m);
    expect(stderr).toMatch(/INVALID_SUITE: .*b\.suite\.yaml, line 2, column \d+: /);
    expect(stderr.match(/docs\/suite\.schema\.json/g)).toHaveLength(1);
  });
});

describe('reports of mcp-exec test', () => {
  it('are written to files, whose folders are made', async () => {
    const into = join(await createFolder(), 'deep', 'er');
    const words = ['--junit', join(into, 'r.xml'), '--html', join(into, 'r.html'), '--json', join(into, 'r.json')];
    const { exitCode } = await sayWithHarness(['test', suite, ...words], () => reportOf([caseOf('adds'), failedCase]));
    expect(exitCode).toBe(1);
    expect(await readdir(into)).toEqual(['r.html', 'r.json', 'r.xml']);
    expect(await readFile(join(into, 'r.xml'), 'utf8')).toContain('<testcase');
    expect(await readFile(join(into, 'r.html'), 'utf8')).toMatch(/^<!doctype html>/i);
    expect(JSON.parse(await readFile(join(into, 'r.json'), 'utf8'))).toMatchObject({ totals: { failed: 1 } });
  });

  it('take stdout where the file is -, and the one for people goes to stderr', async () => {
    const { stdout, stderr } = await sayWithHarness(['test', suite, '--json', '-']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'passed' });
    expect(stderr).toContain('1 passed');
    expect((await sayWithHarness(['test', suite, '--junit', '-'])).stdout).toMatch(/^<\?xml/);
  });

  it('follow a link to the file, and leave nothing else beside it', async () => {
    const into = await folderOf({ 'real.json': 'old' });
    await symlink('real.json', join(into, 'link.json'));
    await sayWithHarness(['test', suite, '--json', join(into, 'link.json')]);
    expect(JSON.parse(await readFile(join(into, 'real.json'), 'utf8'))).toMatchObject({ version: 1 });
    expect(await readdir(into)).toEqual(['link.json', 'real.json']);
  });

  it('that cannot be written are told before anything runs', async () => {
    const into = await folderOf({ file: '' });
    const refused = async (...words: readonly string[]) => {
      const { exitCode, stderr, runs } = await sayWithHarness(['test', suite, ...words]);
      expect([exitCode, runs]).toEqual([2, []]);
      return stderr;
    };
    expect(await refused('--json', into)).toMatch(/--json: .* is a folder/);
    expect(await refused('--html', join(into, 'file', 'r.html'))).toMatch(/--html: .* cannot be written: /);
    expect(await refused('--json', '-', '--junit', '-')).toMatch(/--json: stdout is taken by --junit/);
    expect(await refused('--json', join(into, 'r'), '--html', `${into}/./r`)).toMatch(/is taken by --json/);
  });

  it.skipIf(process.getuid?.() === 0)('that may not be written are told before anything runs', async () => {
    const into = await folderOf({ 'r.json': '' });
    await chmod(join(into, 'r.json'), 0o444);
    const { exitCode, runs } = await sayWithHarness(['test', suite, '--json', join(into, 'r.json')]);
    expect([exitCode, runs]).toEqual([2, []]);
  });

  it('that cannot be written after all make a run fail that passed', async () => {
    const file = join(await createFolder(), 'r.json');
    const { exitCode, stderr } = await sayWithHarness(['test', suite, '--json', file], async () => {
      await mkdir(file);
      await writeFile(join(file, 'x'), '');
      return reportOf([caseOf('adds')]);
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/--json: .*r\.json could not be written/);
  });

  it('are annotations and a summary in GitHub Actions', async () => {
    const page = join(await createFolder(), 'summary.md');
    await writeFile(page, 'before\n');
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page };
    const failing = () => reportOf([failedCase]);
    const said = await sayWithHarness(['test', suite], failing, { environment });
    expect(said.stdout).toMatch(/^::error file=/m);
    expect(await readFile(page, 'utf8')).toMatch(/^before\n##.*1 failed/);
    const without = await sayWithHarness(['test', suite, '--no-github'], failing, { environment });
    expect(without.stdout).not.toContain('::error');
    const asked = await sayWithHarness(['test', suite, '--github', '--json', '-'], failing);
    expect(JSON.parse(asked.stdout)).toMatchObject({ outcome: 'failed' });
    expect(asked.stderr).toContain('::error');
  });
});
