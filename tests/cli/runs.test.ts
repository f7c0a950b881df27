import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRunLog } from '../../src/codemode/execute/run-log.js';
import { workspaceAt } from '../../src/codemode/workspace.js';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';

async function workspaceWithRuns(): Promise<string> {
  const folder = await createFolder();
  const workspace = workspaceAt(folder);
  await mkdir(workspace.runs);
  const log = createRunLog(workspace);
  const at = '2026-05-01T10:00:00.123Z';
  await log.record({ op: 'generate_wrappers', at, ms: 1500, outcome: 'done' });
  await log.record({ op: 'execute_script', run: 'r-1', at, ms: 12.4, outcome: 'failed', code: 'TIMEOUT' });
  const calls = { 'github/list_issues': 3, 'sl\u001b[2Jack/post': 1 };
  await log.record({ op: 'execute_script', run: 'r-2', at, ms: 20, outcome: 'done', calls });
  return folder;
}

describe('mcp-exec runs', () => {
  it('counts each operation and shows the last ones', async () => {
    const { exitCode, stdout, stderr } = await say(['runs', '--workspace', await workspaceWithRuns()]);
    expect(stdout.split('\n')).toEqual([
      'operation          done  failed  tool calls  time',
      'generate_wrappers     1       0           0  1.5 s',
      'execute_script        1       1           4  32 ms',
      '',
      'The last 3, newest first',
      'at                    operation          run  outcome   time  tool calls',
      '2026-05-01T10:00:00Z  execute_script     r-2  done     20 ms  github/list_issues 3, slack/post',
      '2026-05-01T10:00:00Z  execute_script     r-1  TIMEOUT  12 ms',
      '2026-05-01T10:00:00Z  generate_wrappers       done     1.5 s',
      '',
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('prints one JSON object with --json, of as many as are asked for', async () => {
    const words = ['runs', '--workspace', await workspaceWithRuns(), '--json', '--limit', '1'];
    const { stdout } = await say(words);
    expect(JSON.parse(stdout)).toMatchObject({
      operations: { execute_script: { done: 1, failed: 1, calls: 4 }, search_tools: { done: 0 } },
      last: [{ op: 'execute_script', run: 'r-2' }],
    });
  });

  it('says that nothing was run yet, and makes nothing', async () => {
    const folder = await createFolder();
    const said = await say(['runs', '--workspace', folder]);
    expect(said).toMatchObject({ exitCode: 0, stdout: '', stderr: 'Nothing was run in this workspace yet.\n' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses a workspace that is no folder', async () => {
    const folder = await createFolder();
    await writeFile(join(folder, 'file'), '');
    for (const name of ['file', 'nowhere']) {
      const { exitCode, stderr } = await say(['runs', '--workspace', join(folder, name)]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('INVALID_WORKSPACE: There is no folder')]);
    }
  });
});
