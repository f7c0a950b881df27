import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeHome, createCodeHome, isOfRegistry, page } from '../code-page.js';
import { longMs } from './scale.js';
import { programs } from './stdio-servers.js';

const sessions = page.sessions.filter(isOfRegistry);
let folder: string;
let home: CodeHome;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-npx-'));
  const npx = join(folder, 'npx');
  // The page starts them as `npx -y @modelcontextprotocol/server-memory@…`; here they are installed already.
  const place = dirname(dirname(dirname(programs?.memory ?? '')));
  const program = `"${place}/server-$name/dist/index.js"`;
  const words = `name=\${2#@modelcontextprotocol/server-}\nname=\${name%@*}\nshift 2`;
  await writeFile(npx, `#!/bin/sh\n${words}\nexec "${process.execPath}" ${program} "$@"\n`);
  await chmod(npx, 0o755);
  home = await createCodeHome({ npx });
});

afterAll(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(programs)('the page on code execution, with servers of the npm registry', () => {
  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(0);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: longMs },
    async (_first, session) => {
      expect(await home.shownOf(session)).toBe(session);
    },
  );
});
