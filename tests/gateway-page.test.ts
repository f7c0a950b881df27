import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
// Those with MCP Inspector are run by tests/long/inspector-gateway-page.test.ts.
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

describe.runIf(process.platform === 'linux')('the page on the gateway', () => {
  it('has sessions to run', () => {
    expect(sessions.filter(isServing).length).toBeGreaterThan(2);
    expect(sessions.length).toBeGreaterThan(25);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: 90_000 },
    async (first, session) => {
      const shown = isServing(session) ? await home.serve(session) : await home.show(session);
      if (session !== `${first}\n`) expect(asOnPage(shown)).toBe(withoutMachine(session));
    },
  );
});

function asOnPage(output: string): string {
  return withoutMachine(withoutIds(withoutFigures(output)));
}
