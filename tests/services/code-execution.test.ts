import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCodeExecution } from '../../src/services/code-execution.js';
import { failureOf } from '../engine/harness.js';

const shop = join(import.meta.dirname, '..', 'client', 'servers', 'keeps_a_shop.mjs');
const config = { mcpServers: { shop: { command: 'node', args: [shop] } } };
const script = 'import servers.shop; result(True)';

describe('code execution', () => {
  it.each([
    [
      'servers/ that was deleted and generated anew',
      (place: string) => rmSync(join(place, 'servers'), { recursive: true }),
    ],
    [
      'servers/ that was moved away and generated anew',
      (place: string) => renameSync(join(place, 'servers'), join(place, 'old')),
    ],
    ['a workspace that was deleted', (place: string) => rmSync(place, { recursive: true })],
  ])('goes on with %s', async (_, harm) => {
    const { code, workspace } = await opened();
    await code.generateWrappers();
    expect((await code.executeScript({ script })).value).toBe(true);
    harm(workspace);
    const without = await failureOf(code.executeScript({ script }));
    expect(without).toMatchObject({ code: 'IMPORT_ERROR', details: { module: 'servers' } });
    await code.generateWrappers();
    expect((await code.executeScript({ script })).value).toBe(true);
  });

  it('lets scripts read nothing that a link leads to, which took the place of servers/', async () => {
    const { code, workspace } = await opened();
    await code.executeScript({ script: 'pass' });
    rmSync(join(workspace, 'servers'), { recursive: true });
    symlinkSync(workspace, join(workspace, 'servers'));
    const refused = await failureOf(code.executeScript({ script: 'pass' }));
    expect(refused).toMatchObject({ code: 'INVALID_WORKSPACE', message: expect.stringContaining('is a link') });
  });

  it('makes no folder where there is no config', async () => {
    const workspace = join(mkdtempSync(join(tmpdir(), 'code-')), 'new');
    await expect(createCodeExecution({ config: '/nowhere.json', workspace })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
    expect(existsSync(workspace)).toBe(false);
  });
});

async function opened() {
  const workspace = mkdtempSync(join(tmpdir(), 'code-'));
  const code = await createCodeExecution({ config, workspace });
  onTestFinished(() => code.close());
  return { code, workspace };
}
