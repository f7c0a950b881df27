import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, isServing, readPage, withoutFigures, writeFiles } from '../page.js';
import { inspector } from './inspector.js';
import { longMs } from './scale.js';

let folder: string;
let npx: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-execution-npx-'));
  npx = join(folder, 'npx');
  // The pages start Inspector as `npx -y @modelcontextprotocol/inspector@…`; here it is installed already.
  await writeFile(npx, `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${inspector}" "$@"\n`);
  await chmod(npx, 0o755);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const pages = [
  ['docs/wrapper.md', '9000'],
  ['docs/gateway.md', '8080'],
] as const;

describe.runIf(inspector).each(pages)('the page %s, with MCP Inspector', async (name, shownPort) => {
  const page = await readPage(name);
  const sessions = page.sessions.filter((session) => session.includes('inspector'));
  const server = page.sessions.find(isServing);
  let home: Home;

  beforeAll(async () => {
    const commands = { npx, 'mcp-exec': join(import.meta.dirname, '../../dist/bin/mcp-exec.js') };
    home = await createHome({ fill: (tools) => writeFiles(tools, page.files), commands, shownPort });
    if (server !== undefined) await home.serve(server);
  });

  afterAll(() => home.close());

  it('has sessions to run', () => {
    expect(sessions.length).toBeGreaterThan(1);
  });

  it.each(sessions.map((session) => [session.split('\n')[0], session]))(
    'is right from %s on',
    { timeout: longMs },
    async (_first, session) => {
      expect(withoutFigures(await home.show(session))).toBe(session);
    },
  );
});
