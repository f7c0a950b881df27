import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHome, createCodeHome, isOfRegistry, page } from '../code-page.js';
import { withoutMachine } from '../page.js';

// Those with servers of the npm registry are run by code-page.test.ts beside this.
const sessions = page.sessions.filter((session) => !isOfRegistry(session));
let home: CodeHome;

beforeAll(async () => {
  home = await createCodeHome();
});

afterAll(() => home.close());

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
