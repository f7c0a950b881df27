import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRunLog } from '../../../src/codemode/execute/run-log.js';
import { workspaceAt } from '../../../src/codemode/workspace.js';
import { createLog } from '../../../src/log.js';
import { createFolder } from '../../interpreter/scripts.js';

const nothing = { done: 0, failed: 0, calls: 0, ms: 0 };

async function open(maxBytes?: number) {
  const workspace = workspaceAt(await createFolder());
  await mkdir(workspace.runs);
  return { workspace, log: createRunLog(workspace, { maxBytes }), again: () => createRunLog(workspace, { maxBytes }) };
}

describe('the run log', () => {
  it('has a line for each operation, and counts each kind', async () => {
    const { log, workspace } = await open();
    await log.record({ op: 'generate_wrappers', run: 'g', ms: 10, outcome: 'done' });
    await log.record({
      op: 'execute_script',
      run: 'a',
      ms: 5,
      outcome: 'done',
      calls: { 'x/y': 3, 'x/z': 1 },
      bytes: 9,
    });
    await log.record({
      op: 'execute_script',
      run: 'b',
      ms: 7,
      outcome: 'failed',
      code: 'TIMEOUT',
      calls: { 'x/y': 1 },
    });
    const lines = (await readFile(workspace.logFile, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ run: 'g' }, { run: 'a', bytes: 9 }, { run: 'b' }]);
    expect((await stat(workspace.logFile)).mode & 0o077).toBe(0);
    expect(await log.summary()).toEqual({
      operations: {
        generate_wrappers: { done: 1, failed: 0, calls: 0, ms: 10 },
        discover_schemas: nothing,
        execute_script: { done: 1, failed: 1, calls: 5, ms: 12 },
        call_tool: nothing,
        search_tools: nothing,
      },
      last: [
        expect.objectContaining({ run: 'b', code: 'TIMEOUT' }),
        expect.objectContaining({ run: 'a' }),
        expect.objectContaining({ run: 'g', at: expect.stringMatching(/^\d{4}-.*Z$/) }),
      ],
    });
  });

  it('that is not there yet counts nothing', async () => {
    const summary = await createRunLog(workspaceAt(await createFolder())).summary();
    expect(summary).toMatchObject({ operations: { execute_script: nothing }, last: [] });
  });

  it('is moved aside when it is large, and goes on counting', async () => {
    const { log, again, workspace } = await open(2000);
    for (let i = 0; i < 100; i += 1) await log.record({ op: 'call_tool', run: `r${i}`, ms: 1, outcome: 'done' });
    const { operations, last } = await again().summary();
    expect(operations.call_tool).toEqual({ done: 100, failed: 0, calls: 0, ms: 100 });
    expect(last[0]).toMatchObject({ run: 'r99' });
    const older = await stat(join(workspace.runs, 'log.1.jsonl'));
    expect([older.size, (await stat(workspace.logFile)).size].every((size) => size < 2300)).toBe(true);
  });

  it('loses no count where several write and move it at once', async () => {
    const { again } = await open(4000);
    const writers = Array.from({ length: 4 }, again);
    const recorded = writers.flatMap((log) =>
      Array.from({ length: 50 }, () => log.record({ op: 'search_tools', ms: 1, outcome: 'done' })),
    );
    await Promise.all(recorded);
    const { operations } = await again().summary();
    expect(operations.search_tools.done).toBe(200);
  });

  it('passes over lines that are damaged', async () => {
    const { log, workspace } = await open();
    await log.record({ op: 'call_tool', run: 'a', ms: 1, outcome: 'done' });
    await appendFile(workspace.logFile, '{"op":"call_tool","ru\nnull\n{"op":"rm","at":"","ms":1,"outcome":"done"}\n');
    await log.record({ op: 'call_tool', run: 'b', ms: 1, outcome: 'done' });
    expect((await log.summary()).operations.call_tool.done).toBe(2);
  });

  it('that cannot be written is told of, and stops nobody', async () => {
    const workspace = workspaceAt(await createFolder());
    await writeFile(workspace.runs, 'in the way');
    const told: string[] = [];
    const log = createLog({ level: 'error', write: (line) => told.push(line) });
    await createRunLog(workspace, { log }).record({ op: 'call_tool', run: 'a', ms: 1, outcome: 'done' });
    expect(told).toEqual([expect.stringContaining('the run log cannot be written')]);
    await rm(workspace.runs);
  });
});
