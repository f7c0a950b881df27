import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { caseSchema, suiteSchema } from '../src/harness/suite/schema.js';
import { checksSchema } from '../src/harness/suite/schema-checks.js';
import { expectSchema } from '../src/harness/suite/schema-expect.js';
import {
  asAnywhere,
  createHarnessHome,
  type HarnessHome,
  isOfLongTier,
  page,
  root,
  snippets,
  text,
} from './harness-page.js';

// The others are run by tests/long/harness-page.test.ts.
const sessions = page.sessions.filter((session) => !isOfLongTier(session));
let home: HarnessHome;

beforeAll(async () => {
  home = await createHarnessHome();
});

afterAll(() => home.close());

it('the page on the harness names tests that there are', () => {
  const [, points = ''] = text.split('## What was asked for');
  const rows = points.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) =>
    [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !existsSync(join(root, `tests/${name}.test.ts`)))).toEqual([]);
});

it('the page on the harness names every key there is', () => {
  const keys = [suiteSchema, caseSchema, expectSchema].flatMap(({ shape }) => Object.keys(shape));
  const checks = Object.keys(checksSchema.in.options[2].shape);
  expect([...keys, ...checks].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

it('the page on the harness shows parts of suites that are right', () => {
  expect(snippets.length).toBeGreaterThan(2);
  for (const snippet of snippets) {
    const suite = { version: 1, server: { command: 'node' }, ...parse(snippet) };
    expect(suiteSchema.safeParse(suite).error?.message, snippet).toBeUndefined();
  }
});

it('the page on the harness shows the test of its example', async () => {
  const content = await readFile(join(root, 'examples/testing/server.test.mjs'), 'utf8');
  expect(page.files.get('server.test.mjs')).toBe(content);
});

describe.runIf(process.platform === 'linux')('the page on the harness', () => {
  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(12);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: 120_000 },
    async (_first, session) => {
      expect(asAnywhere(await home.shownOf(session))).toBe(asAnywhere(session));
    },
  );
});
