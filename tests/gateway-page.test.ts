import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseGatewayConfig } from '../src/gateway/config/read.js';
import {
  createHome,
  type Home,
  isServing,
  readPage,
  withoutFigures,
  withoutIds,
  withoutMachine,
  writeFiles,
} from './page.js';

const root = join(import.meta.dirname, '..');
const page = await readPage('docs/gateway.md');
// Those with MCP Inspector are run by tests/long/inspector-page.test.ts.
const sessions = page.sessions.filter((session) => !session.includes('inspector'));
let home: Home;

beforeAll(async () => {
  let isFilled = false;
  home = await createHome({
    // What a session leaves behind, the next one finds: they talk to one gateway after the other.
    async fill(folder) {
      if (!isFilled) await writeFiles(folder, page.files);
      isFilled = true;
    },
    commands: { 'mcp-exec': join(root, 'dist/bin/mcp-exec.js') },
    shownPort: '8080',
  });
});

afterAll(() => home.close());

it('the page on the gateway names tests that there are', async () => {
  const [, points = ''] = (await readFile(join(root, 'docs/gateway.md'), 'utf8')).split('## What was asked for');
  const rows = points.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) =>
    [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !existsSync(join(root, `tests/${name}.test.ts`)))).toEqual([]);
});

it('the page on the gateway shows parts of config files that are right', async () => {
  const text = await readFile(join(root, 'docs/gateway.md'), 'utf8');
  const parts = [...text.matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map(([, part = '']) => part);
  const whole = `{${parts.join(',')}}`.replace('sha256:…', `sha256:${'0'.repeat(64)}`).replace('…', '0123456789abcdef');
  const { keys, oauth } = parseGatewayConfig(whole, join(root, 'gateway.json'), {});
  expect(keys).toHaveLength(1);
  expect(oauth).toBeDefined();
});

describe.runIf(process.platform === 'linux')('the page on the gateway', () => {
  it('has sessions to run', () => {
    expect(sessions.filter(isServing).length).toBeGreaterThan(2);
    expect(sessions.length).toBeGreaterThan(25);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: 90_000 },
    async (first, session) => {
      const expected = withoutMachine(session);
      const shown = await shownOf(session);
      if (session === `${first}\n`) return;
      // Who waits a moment for what happens elsewhere may wait too little on a busy machine.
      const isEnough = shown === expected || !session.includes('sleep ');
      expect(isEnough ? shown : await shownOf(session, 10)).toBe(expected);
    },
  );
});

async function shownOf(session: string, patience?: number): Promise<string> {
  const shown = isServing(session) ? await home.serve(session) : await home.show(session, patience);
  return withoutMachine(withoutIds(withoutFigures(shown)));
}
