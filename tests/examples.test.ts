import { cp, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, isServing, readPage, withoutIds, withoutMachine, withoutTimes } from './page.js';

const root = join(import.meta.dirname, '..');
const examples = await readdir(join(root, 'examples'));
/** The first run of an example installs the packages that it asks for. */
const installMs = 300_000;
let home: Home;

beforeAll(async () => {
  home = await createHome({
    async fill(folder) {
      for (const name of ['README.md', 'examples']) await cp(join(root, name), join(folder, name), { recursive: true });
    },
    commands: { 'mcp-exec': join(root, 'dist/bin/mcp-exec.js') },
    cache: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    shownPort: '8080',
  });
});

afterAll(() => home.close());

/** Each page shows commands with the output they really have; a command without output is only run. */
describe.each(['.', ...examples.map((name) => `examples/${name}`)])('the page of %s', async (folder) => {
  const { sessions } = await readPage(`${folder}/README.md`);

  it('shows at least one command', () => {
    expect(sessions.length).toBeGreaterThan(0);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: installMs },
    async (first, session) => {
      const shown = isServing(session) ? await home.serve(session) : await home.show(session);
      if (session === `${first}\n`) return;
      expect(withoutMachine(withoutTimes(withoutIds(shown)))).toBe(withoutMachine(session));
    },
  );
});
