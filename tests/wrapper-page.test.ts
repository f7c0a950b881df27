import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, readPage, withoutFigures, withoutMachine, writeFiles } from './page.js';

const root = join(import.meta.dirname, '..');
const page = await readPage('docs/wrapper.md');
// Those with MCP Inspector are run by tests/long/inspector-page.test.ts.
const sessions = page.sessions.filter((session) => !session.includes('inspector'));
let home: Home;

beforeAll(async () => {
  const fill = (folder: string) => writeFiles(folder, page.files);
  home = await createHome({ fill, commands: { 'mcp-exec': join(root, 'dist/bin/mcp-exec.js') } });
});

afterAll(() => home.close());

describe.runIf(process.platform === 'linux')('the page on scripts as MCP servers', () => {
  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(15);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: 90_000 },
    async (_first, session) => {
      // Who talks to a server by hand leaves it a moment to answer, which may be too short on a busy machine.
      const expected = withoutMachine(session);
      const shown = await shownOf(session);
      const isEnough = shown === expected || !session.includes('sleep ');
      expect(isEnough ? shown : await shownOf(session, 10)).toBe(expected);
    },
  );
});

async function shownOf(session: string, patience?: number): Promise<string> {
  return withoutMachine(withoutFigures(await home.show(session, patience)));
}
