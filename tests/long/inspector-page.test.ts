import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, readPage, withoutFigures, writeFiles } from '../page.js';
import { inspector } from './inspector.js';
import { longMs } from './scale.js';

const page = await readPage('docs/wrapper.md');
const sessions = page.sessions.filter((session) => session.includes('inspector'));
let folder: string;
let home: Home;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-npx-'));
  const npx = join(folder, 'npx');
  // The page starts Inspector as `npx -y @modelcontextprotocol/inspector@…`; here it is installed already.
  await writeFile(npx, `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${inspector}" "$@"\n`);
  await chmod(npx, 0o755);
  const commands = { npx, 'mcp-exec': join(import.meta.dirname, '../../dist/bin/mcp-exec.js') };
  home = await createHome({ fill: (tools) => writeFiles(tools, page.files), commands });
});

afterAll(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(inspector)('the page on scripts as MCP servers, with MCP Inspector', () => {
  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: longMs },
    async (_first, session) => {
      expect(withoutFigures(await home.show(session))).toBe(session);
    },
  );
});
