import type { Command } from 'commander';
import { mostParallel, mostRepeats } from '../harness/limits.js';
import { addNames } from './exploring.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';
import { reportTestFailure } from './test-failure.js';
import {
  addServerFlags,
  countFrom,
  readBail,
  readTestSettings,
  refuseOtherFlags,
  serverWordsOf,
  type TestFlags,
} from './test-flags.js';
import { addTestInit } from './test-init.js';

const details = `
A suite is a YAML or JSON file: a server, and cases that call its tools, read its resources and get its prompts, with what has to
hold of the answers, said in the file or in Python. A folder stands for suite.yaml and *.suite.yaml (.yml, .json) in it and below.

  version: 1
  server: { command: node, args: [server.mjs] }
  cases:
    - name: adds
      tool: add
      arguments: { a: 2, b: 3 }
      expect: { text: "5" }

All suites are read before the first one runs; where one is wrong, nothing runs. The report goes to stdout. A file named - is stdout
too, and then the report for people goes to stderr. On Ctrl-C what was done is reported; the second one ends at once.
With --record standard input and output are the client's: put the whole command in the place of the server's own.

Exit codes: 0 all cases passed, 1 a case failed, 2 a suite is wrong or no case matches, 3 the machine lacks something, 130 interrupted.

Examples:
  $ mcp-exec test init --out suite.yaml -- node server.mjs
  $ mcp-exec test suite.yaml
  $ mcp-exec test tests/ --junit report.xml --html report.html --ci
  $ mcp-exec test suite.yaml --filter adds --tag smoke --bail --watch
  $ mcp-exec test suite.yaml --json - | jq .totals
  $ mcp-exec test --record suite.yaml -- node server.mjs`;

export function addTest(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  const test = program
    .command('test')
    .summary('test an MCP server with YAML cases and Python validators')
    .description('Runs suites of cases against MCP servers, written in any language, and reports what does not hold.')
    .usage('[options] [SUITE...]')
    .argument('[suites...]', 'suite files, or folders of them; the current folder where none is named')
    .option('--filter <text>', 'only cases whose name contains this, or matches it where it is a /pattern/')
    .option('--tag <names>', 'only cases that have one of these tags; may be repeated', addNames)
    .option('--bail [count]', 'end after the first failed case, or after so many')
    .option('--repeat <count>', 'run every case so often, and tell which are flaky', countFrom(1, mostRepeats))
    .option('--parallel <count>', 'cases at once, in place of what the suites say', countFrom(1, mostParallel))
    .option('--update-snapshots', 'write snapshots anew that differ from what comes')
    .option('--watch', 'run again whenever a suite, or a file that it names, changes')
    .option('--junit <file>', 'write a report as JUnit XML')
    .option('--json <file>', 'write a report as JSON')
    .option('--html <file>', 'write a report as one page for browsers')
    .option('--ci', 'plain lines, and a missing snapshot is a failure; on where the variable CI is set')
    .option('--no-ci', 'as on the machine of a person')
    .option('--github', 'annotations and a summary for GitHub Actions; on where GITHUB_ACTIONS is true')
    .option('--no-github', 'none of these')
    .option('--verbose', 'list cases that pass on a terminal too, and tell what validators said, values and figures')
    .option('--record <file>', 'stand between a client and a server, and write a suite of what happens')
    .option('--force', 'with --record: write over a file that is there, which otherwise gets a number');
  addTestInit(test, terminal, setExitCode);
  addServerFlags(test, 'with --record: ')
    .addHelpText('after', details)
    .action(async (words: readonly string[], flags: TestFlags, command: Command) => {
      try {
        const { record } = flags;
        setExitCode(
          await (record === undefined ? run(words, flags, command) : recordTo(record, words, flags, command)),
        );
      } catch (error) {
        setExitCode(reportTestFailure(error, terminal));
      }
    });

  async function run(given: readonly string[], flags: TestFlags, command: Command): Promise<number> {
    refuseOtherFlags(command, runFlags, 'test without --record');
    const { words, bail } = readBail(given, flags.bail);
    const settings = readTestSettings(command, terminal.environment);
    // A file of its own in the package: what it throws is told of there.
    const { runTests } = await import('./testing.js');
    return await runTests({ words, bail, flags }, settings, terminal);
  }

  async function recordTo(
    record: string,
    words: readonly string[],
    flags: TestFlags,
    command: Command,
  ): Promise<number> {
    refuseOtherFlags(command, ['record', 'url', 'header', 'env', 'force'], 'test --record');
    const settings = readTestSettings(command, terminal.environment);
    const server = serverWordsOf(words, flags, command, `mcp-exec test --record ${record}`);
    const { recordSuite } = await import('./testing.js');
    return await recordSuite({ server, flags: { ...flags, record } }, settings, terminal);
  }
}

const runFlags: readonly (keyof TestFlags)[] = [
  'filter',
  'tag',
  'bail',
  'repeat',
  'parallel',
  'updateSnapshots',
  'watch',
  'junit',
  'json',
  'html',
  'ci',
  'github',
  'verbose',
];
