import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAnywhere, createHarnessHome, type HarnessHome, isOfLongTier, page, root } from '../harness-page.js';
import { suites } from './conformance.js';
import { longMs } from './scale.js';
import { programs } from './stdio-servers.js';

const sessions = page.sessions.filter(isOfLongTier);
let folder: string;
let home: HarnessHome;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-npx-'));
  const npx = join(folder, 'npx');
  // The page starts it as `npx -y @modelcontextprotocol/server-memory@…`; here it is installed already.
  const place = dirname(dirname(dirname(programs?.memory ?? '')));
  const words = `name=\${2#@modelcontextprotocol/server-}\nname=\${name%@*}\nshift 2`;
  await writeFile(npx, `#!/bin/sh\n${words}\nexec "${process.execPath}" "${place}/server-$name/dist/index.js" "$@"\n`);
  await chmod(npx, 0o755);
  home = await createHarnessHome({ npx, vitest: join(root, 'node_modules/vitest/vitest.mjs') });
});

afterAll(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(programs && suites.length > 0)('the page on the harness, with what others wrote', () => {
  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(3);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: longMs },
    async (_first, session) => {
      expect(asAnywhere(await home.shownOf(session))).toBe(asAnywhere(session));
    },
  );
});
