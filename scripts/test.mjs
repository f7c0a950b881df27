import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { build } from './build.mjs';
import { check } from './check.mjs';
import { conformanceEnvironment } from './conformance.mjs';
import { inspectorEnvironment } from './inspector.mjs';
import { junitXsdEnvironment } from './junit-xsd.mjs';
import { asOrdinaryUser } from './ordinary-user.mjs';
import { withPackages } from './packages.mjs';
import { findPythons } from './pythons.mjs';
import { cache, root, run, runTool } from './run.mjs';
import { serversEnvironment } from './servers.mjs';
import { setUp } from './setup.mjs';
import { slowTests } from './slow-tests.mjs';

const long = process.argv.includes('--long');
const refuseSkips = process.argv.includes('--refuse-skips');
const longParts = {
  tests: runLongTests,
  pythons: runOnOtherPythons,
  packages: runWithPackages,
  user: runAsOrdinaryUser,
};
const chosenParts = partsOf(process.argv);

await setUp();
await build();
const pythons = await findPythons().catch((error) => {
  console.error(error.code === 'PYTHON_NOT_FOUND' ? `${error.code}: ${error.message}` : error);
  process.exit(error.exitCode ?? 1);
});
const outcomes = long ? await runLongTier() : await runQuickTier();
await finish();

async function runQuickTier() {
  const failedChecks = await check();
  const [standard] = pythons;
  return [
    ...failedChecks.map((name) => ({ name, passed: 0, failed: 1, skipped: [] })),
    await runVitest('the tests', ['--coverage']),
    await runUnittest(standard),
  ];
}

async function runLongTier() {
  const found = [];
  for (const part of chosenParts) found.push(...(await longParts[part](...pythons)));
  return found;
}

/** Stress and load, and what needs programs of others. */
async function runLongTests(standard) {
  const environment = {
    LONG: '1',
    ...(await inspectorEnvironment()),
    ...(await conformanceEnvironment()),
    ...(await serversEnvironment()),
    ...(await junitXsdEnvironment(standard)),
  };
  return [await runVitest('the long tests', ['tests/long', 'tests/load', ...slowTests], { environment })];
}

async function runOnOtherPythons(_standard, ...others) {
  const found = [];
  for (const python of others) {
    const environment = await preferring(python);
    const tests = ['tests/engine', 'tests/attacks', 'tests/manifest'];
    found.push(await runVitest(`the engine and discovery on Python ${python.version}`, tests, { environment }));
    found.push(await runUnittest(python));
  }
  return found;
}

/** Who is root has other rights to take away than others, so what is tested as root is tested as an ordinary user too. */
async function runAsOrdinaryUser() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return [];
  const tests = ['tests/engine/strict.test.ts', 'tests/attacks', '--configLoader', 'runner'];
  const outcome = await asOrdinaryUser((options, home) =>
    runVitest('the sandbox as an ordinary user', tests, options, join(home, 'vitest.json')),
  );
  return [outcome ?? { name: 'user', passed: 0, failed: 0, skipped: ['the sandbox as an ordinary user'] }];
}

/** What is about values of numpy, pandas, pydantic, PIL and matplotlib, which a plain Python has not. */
async function runWithPackages(standard) {
  const executable = await withPackages(standard);
  if (!executable) return [{ name: 'packages', passed: 0, failed: 0, skipped: ['the tests that need packages'] }];
  const equipped = { ...standard, executable, version: `${standard.version} with packages` };
  const environment = { ...(await preferring(equipped)), MCP_EXECUTION_TEST_PACKAGES: '1' };
  return [
    await runVitest(
      'values and scripts with packages',
      [
        'tests/engine/values',
        'tests/engine/scripts-as-written',
        'tests/engine/toolbox/media',
        'tests/attacks/ordinary',
      ],
      { environment },
    ),
    await runUnittest(equipped),
  ];
}

async function runVitest(name, args, options = {}, report = join(cache, 'vitest.json')) {
  console.error(`\n${name} ...`);
  await mkdir(cache, { recursive: true });
  await rm(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await runTool('vitest/vitest.mjs', ['run', ...args, ...reporters], options);
  const { testResults = [] } = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed').length;
  return {
    name,
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: code === 0 ? failed : Math.max(1, failed),
    skipped: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  };
}

async function runUnittest({ executable, version }) {
  const name = `the Python part on Python ${version}`;
  console.error(`\n${name} ...`);
  const hasCoverage = (await run(executable, ['-m', 'coverage', '--version'], { capture: true })).code === 0;
  const measure = hasCoverage
    ? ['-m', 'coverage', 'run', '--source', 'python', '--data-file', join(cache, 'pycoverage')]
    : [];
  const args = [...measure, '-m', 'unittest', 'discover', '-v', '-s', 'tests/python'];
  const environment = { PYTHONPATH: join(root, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  const { code, output } = await run(executable, args, { environment, capture: true });
  const lines = output.split(/\r?\n/);
  const total = Number(/^Ran (\d+) tests? in /m.exec(output)?.[1] ?? 0);
  const skipped = lines.filter((line) => / \.\.\. skipped /.test(line));
  const failures = lines.filter((line) => /^(FAIL|ERROR): /.test(line)).length;
  const failed = code === 0 && total > 0 ? failures : Math.max(1, failures);
  console.error(
    failed === 0 ? lines.slice(-5).join('\n').trim() : output.slice(Math.max(0, output.indexOf('\n====='))),
  );
  if (hasCoverage) await run(executable, ['-m', 'coverage', 'report', '--data-file', join(cache, 'pycoverage')]);
  return { name, passed: Math.max(0, total - failed - skipped.length), failed, skipped };
}

/** An environment in which `python3` is that interpreter, whatever the machine's own choice. */
async function preferring({ executable, version }) {
  const folder = join(cache, `python-${version.replaceAll(' ', '-')}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'python3'), `#!/bin/sh\nexec '${executable}' "$@"\n`, { mode: 0o755 });
  return { LONG: '1', PATH: [folder, process.env.PATH].join(delimiter), VIRTUAL_ENV: '' };
}

async function finish() {
  const allowed = await allowedSkips();
  const skipped = outcomes.flatMap((outcome) => outcome.skipped);
  const refused = refuseSkips ? skipped.filter((name) => !allowed.some((part) => name.includes(part))) : [];
  const failed = sum(({ failed: count }) => count) + refused.length;
  for (const { name, failed: count } of outcomes) if (count > 0) console.log(`failed: ${name}`);
  for (const name of refused) console.log(`skipped, but should have run: ${name}`);
  console.log(
    `Python versions: ${pythons.map(({ version }) => version).join(', ')}${long ? '' : `; this tier ran on ${pythons[0].version}`}`,
  );
  console.log(`${sum(({ passed }) => passed)} passed, ${failed} failed, ${skipped.length - refused.length} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Tests that may be skipped on Linux, one part of a name in each line. */
async function allowedSkips() {
  const text = await readFile(join(root, 'tests', 'allowed-skips.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** All parts of the long tier, or those that `--part` names. */
function partsOf(args) {
  const names = Object.keys(longParts);
  const chosen = args.flatMap((arg, index) => (args[index - 1] === '--part' ? [arg] : []));
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined || args.at(-1) === '--part') {
    console.error(`--part takes one of ${names.join(', ')}, not ${unknown ?? 'nothing'}`);
    process.exit(2);
  }
  return chosen.length === 0 ? names : chosen;
}

function sum(count) {
  return outcomes.reduce((total, outcome) => total + count(outcome), 0);
}
