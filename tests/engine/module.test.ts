import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findPython } from '../../src/python/interpreter.js';
import { pythonPart } from '../../src/python/part.js';
import { collectEvents, describeWithEngine, fixture } from './harness.js';

describeWithEngine('The module mcp_execution', { idleChildren: 1 }, (engine) => {
  it('gives functions of a script their log and their progress', async () => {
    const { events, onEvent } = collectEvents();
    const work = { script: fixture('reports_to_its_host.py'), function: 'copy', args: { files: ['a', 'b'] } };
    const { value, logs, stderr } = await engine().call(work, { onEvent });
    expect(value).toEqual({ copied: 2, context: {} });
    expect(logs).toEqual([{ level: 'info', message: 'copied b' }]);
    expect(stderr).toBe('');
    expect(events).toEqual([
      { type: 'progress', done: 1, total: 2, message: 'a' },
      { type: 'progress', done: 2, total: 2, message: 'b' },
      { type: 'log', level: 'info', message: 'copied b' },
    ]);
  });

  it('takes reports from threads', async () => {
    const work = { script: fixture('reports_to_its_host.py'), function: 'log_from_threads', args: { count: 20 } };
    const { logs } = await engine().call(work);
    expect(logs.map(({ message }) => Number(message)).sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
  });
});

describe('The module mcp_execution under plain Python', () => {
  it('writes to stderr what a host would be told', async () => {
    const { executable } = await findPython();
    const source = `
from mcp_execution import context, log, progress, result
log("warn", "careful"); log("plain"); progress(1, 2, "half"); progress(3); result({"a": 1})
print(context)
`;
    const { stdout, stderr } = spawnSync(executable, ['-c', source], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: pythonPart() },
    });
    expect(stdout).toBe('{}\n');
    expect(stderr).toBe('[warning] careful\n[info] plain\n1/2 half\n3/?\n');
  });
});
