import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Report } from '../../src/harness/report.js';
import { toJunit } from '../../src/harness/reports/junit.js';
import type { SuiteInput } from '../../src/harness/suite/schema.js';
import { runSuite } from '../../src/services/run-suite.js';
import { folderWith } from '../engine/harness.js';
import { anyReport } from '../harness/reports/arbitrary.js';
import { reportOf, sampleReport } from '../harness/reports/sample.js';
import { longMs } from './scale.js';

type Schemas = Readonly<Record<'today' | 'first', string>>;

/** Of Jenkins, as they are: the one of its xUnit plugin, and the first there was. */
const schemas: Schemas | undefined = JSON.parse(process.env.MCP_EXECUTION_JUNIT_XSD ?? 'null') ?? undefined;
const broken = join(import.meta.dirname, '../harness/servers/broken_server.mjs');
const timeout = longMs;

/** Failures, errors, skipped and flaky cases, a crash, noise, validators that log and break: all that a report can hold. */
const suite: SuiteInput = {
  version: 1,
  name: 'a broken <server> & "more"',
  server: { command: process.execPath, args: [broken, 'chatty'] },
  checks: 'all',
  cases: [
    {
      name: 'passes',
      tool: 'good',
      arguments: { text: 'hi' },
      tags: ['one', 'two'],
      validate: 'log("info", "<seen>")',
    },
    { name: 'fails', tool: 'good', arguments: { text: 'hi\u0007]]>' }, expect: { text: 'ho' } },
    { name: 'times out', tool: 'never_answers', timeout: 200, retry: 2 },
    { name: 'is flaky', tool: 'fails_every_other_time', retry: 1 },
    { name: 'ends the server', tool: 'dies' },
    { name: 'is skipped', tool: 'good', skip: 'for a "reason" & more' },
    { name: 'depends', tool: 'good', depends_on: 'ends the server' },
    { name: 'writes garbage', tool: 'garbage' },
    { name: 'is judged', tool: 'good', arguments: { text: 'a\nb' }, validate: 'assert False, "<no>\\x00"' },
    { name: 'is judged by what breaks', tool: 'good', arguments: { text: 'a' }, validate: 'import nothing_there' },
    { name: 'under load', tool: 'fails_every_other_time', load: { clients: 2, count: 10 } },
  ],
};

async function mistakesIn(schema: string, documents: readonly string[]): Promise<readonly string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: readFileSync(schema, 'utf8'), maxMemoryPages: 16_384 });
  return errors.map(({ rawMessage }) => rawMessage);
}

/** What the first schema did not know yet, and whose readers pass over: tags, files, reasons in attributes, more tries. */
function asInTheBeginning(document: string): string {
  return document
    .replaceAll(/(<testcase [^>]*?) group="[^"]*"/g, '$1')
    .replaceAll(/(<testsuite [^>]*?) file="[^"]*"/g, '$1')
    .replaceAll(/<skipped message="[^"]*"\/>/g, '<skipped/>')
    .replaceAll(/<(rerunFailure|rerunError|flakyFailure) [^>]*?(\/>|>[\s\S]*?<\/\1>)/g, '');
}

describe.runIf(schemas)('a JUnit report, held against the very schemas of Jenkins,', { timeout }, () => {
  const { today = '', first = '' } = schemas ?? {};
  let run: Report;
  beforeAll(async () => {
    const engine = { cacheDir: folderWith({}), logLevel: 'silent' } as const;
    run = await runSuite(suite, { engine, folder: folderWith({}) });
  });
  const documents = () => [run, sampleReport(), reportOf([]), ...fc.sample(anyReport, 300)].map(toJunit);

  it('is valid, of real runs and of whatever servers and suites say', async () => {
    expect(await mistakesIn(today, documents())).toEqual([]);
  });

  it('is valid by the first of them, but for what came later', async () => {
    expect(await mistakesIn(first, documents().map(asInTheBeginning))).toEqual([]);
  });

  it('of the real run holds all that can be in one', () => {
    const document = toJunit(run);
    for (const part of ['failure', 'error', 'skipped', 'flakyFailure', 'rerunError', 'system-out', 'system-err']) {
      expect(document).toContain(`<${part}`);
    }
  });

  it('is not valid where the schema says so, so that the schema is a test', async () => {
    const wrong = toJunit(run).replace('<testcase name=', '<testcase title=');
    expect(await mistakesIn(today, [wrong])).not.toEqual([]);
    expect(await mistakesIn(first, [toJunit(run)])).not.toEqual([]);
  });
});
