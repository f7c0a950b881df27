import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHome, createCodeHome, isOfRegistry, page, root } from './code-page.js';
import { withoutMachine } from './page.js';

// Those with servers of the npm registry are run by tests/long/code-page.test.ts.
const sessions = page.sessions.filter((session) => !isOfRegistry(session));
let home: CodeHome;

beforeAll(async () => {
  home = await createCodeHome();
});

afterAll(() => home.close());

it('the page on code execution names tests that there are', async () => {
  const [, points = ''] = (await readFile(join(root, 'docs/code-execution.md'), 'utf8')).split('## What was asked for');
  const rows = points.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) =>
    [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !existsSync(join(root, `tests/${name}.test.ts`)))).toEqual([]);
});

it('the page on code execution shows the files of its example', async () => {
  const files = ['orders.py', 'mail.py', '.mcp.json', 'scripts/overdue.py', 'scripts/remind.py'];
  for (const file of files) {
    const content = await readFile(join(root, 'examples/code-execution', file), 'utf8');
    expect(page.files.get(file), file).toBe(content);
  }
});

describe.runIf(process.platform === 'linux')('the page on code execution', () => {
  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(20);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: 120_000 },
    async (first, session) => {
      const shown = await home.shownOf(session);
      if (session !== `${first}\n`) expect(shown).toBe(withoutMachine(session));
    },
  );
});
