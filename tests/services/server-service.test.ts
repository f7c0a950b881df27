import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseSettings } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { createOpener } from '../../src/services/open.js';

it('an MCP server has a process ready however quiet it is, so that checks start none', async () => {
  const settings = parseSettings({ idleMs: 1 });
  const opener = createOpener({ settings, log: createLog({ level: 'silent' }) });
  onTestFinished(() => opener.close());
  const args = [join(import.meta.dirname, '../client/servers/answers_with_its_process.mjs')];
  const source = { kind: 'command', command: process.execPath, args } as const;
  const { toolbox } = await opener.open({ id: 'quiet', source });
  onTestFinished(() => toolbox.close());
  await expect.poll(() => toolbox.status()).toMatchObject({ idle: 1, starts: 1 });
  for (let checks = 0; checks < 3; checks++) await toolbox.probe();
  expect(toolbox.status()).toMatchObject({ idle: 1, starts: 1, crashes: 0 });
});
