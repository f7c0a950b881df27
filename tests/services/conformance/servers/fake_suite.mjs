import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Says and writes what the official suite does, of a few scenarios; the path of the address says how it ends. */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    url: { type: 'string' },
    'output-dir': { type: 'string' },
    scenario: { type: 'string' },
    suite: { type: 'string' },
    requirements: { type: 'string' },
    'spec-version': { type: 'string' },
  },
});

const check = (id, status, more = {}) => ({ id, name: id, description: `Says ${id}`, status, timestamp: '', ...more });
const scenarios = {
  ping: [check('ping', 'SUCCESS')],
  'tools-list': [
    check('tools-list', 'FAILURE', {
      errorMessage: `wrong at ${values.url}`,
      specReferences: [{ id: 'MCP', url: 'https://example.com/spec' }],
    }),
    check('tools-names', 'SUCCESS'),
    check('tools-advice', 'WARNING', { errorMessage: 'better' }),
  ],
  throws: undefined,
  'tasks-lifecycle': [check('tasks', 'FAILURE', { errorMessage: 'no tasks' })],
  'checks-nothing': [check('odd', 'SKIPPED', { errorMessage: 'no such tool' }), check('more', 'INFO')],
};

const mode = new URL(values.url).pathname;
if (values.scenario !== undefined) runOne(values.scenario);
else await runAll();

async function runAll() {
  const names = Object.keys(scenarios);
  console.log(
    `Running ${values.suite ?? values.requirements} suite (${names.length} scenarios) against ${values.url}\n`,
  );
  for (const name of names) {
    console.log(`\n=== Running scenario: ${name} ===`);
    if (mode === '/hangs/at/once') await hang();
    run(name);
    if (mode === '/hangs') await hang();
    if (mode === '/dies') {
      console.error('out of luck');
      process.exit(9);
    }
  }
  console.log('\n=== SUMMARY ===\n');
  console.log('\nNot scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.');
  console.log('  ✗ tasks-lifecycle (extension)');
  process.exit(1);
}

/** Its first word to the server tells that a scenario is done. */
async function hang() {
  await fetch(values.url).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

function runOne(name) {
  if (name === 'old') {
    console.log(
      `SKIPPED: scenario 'old' is not applicable at spec version 2026-07-28 (removed in 2026-07-28). Use --force`,
    );
    return;
  }
  if (name in scenarios) return run(name);
  console.error('Validation error:\n  scenario: Unknown scenario\n\nAvailable server scenarios:');
  for (const known of Object.keys(scenarios)) console.error(`  - ${known}`);
  process.exit(1);
}

function run(name) {
  console.log(`Running client scenario '${name}' against server: ${values.url}`);
  const folder = join(values['output-dir'], `server-${name}-2026-11-16T04-23-25-442Z`);
  mkdirSync(folder);
  if (!scenarios[name]) return console.error(`Failed to run scenario ${name}: Error: it threw\n    at somewhere`);
  writeFileSync(join(folder, 'checks.json'), JSON.stringify(scenarios[name]));
}
