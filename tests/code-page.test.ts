import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { page, root } from './code-page.js';

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

it('the page on code execution has sessions, which the long tier runs', () => {
  expect(page.sessions.length).toBeGreaterThan(20);
});
