import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { FakeServer, fakeOpen, fakeOpenEach, fakeTool, silence } from '../fakes.js';
import { reportsOf, verdictOf } from './reports.js';

/** More than systems number processes. */
const nobody = 2 ** 30;
const tools = [fakeTool('add'), fakeTool('subtract')];

describe('check: restart', () => {
  it('is skipped for an address, whose server is not ours to end', async () => {
    const open = fakeOpen({ tools });
    expect(await verdictOf(['restart'], { open, tools })).toEqual([
      { id: 'check: restart', status: 'skipped', reason: expect.stringContaining('at an address') },
    ]);
    expect(open.servers.every(({ isOver }) => isOver)).toBe(true);
  });

  it('closes a server, kills one in the midst of a request, and leaves none open', async () => {
    const open = fakeOpen({ tools, pid: nobody });
    expect(await verdictOf(['restart'], { open, tools })).toEqual([{ id: 'check: restart', status: 'passed' }]);
    expect(open.servers.map(({ isOver }) => isOver)).toEqual([true, true, true]);
  });

  it('tells what is other after a restart', async () => {
    const open = fakeOpenEach((number) => ({
      pid: nobody,
      tools: number === 0 ? tools : [fakeTool('add', { a: { type: 'number' } }), fakeTool(`divide_${number}`)],
    }));
    expect(await verdictOf(['restart'], { open, tools })).toMatchObject([
      {
        says: [
          'The server came up with other tools after it was closed (gone: subtract; new: divide_1; changed: add).',
          'The server came up with other tools after it was killed (gone: divide_1; new: divide_2).',
        ],
      },
    ]);
  });

  it('tells of a server that does not come up again', async () => {
    const servers: FakeServer[] = [];
    const open = async () => {
      if (servers.length > 0) throw new HostError('SERVER_FAILED', 'The port is taken');
      const server = new FakeServer({ pid: nobody, tools });
      servers.push(server);
      return server;
    };
    const [report] = await reportsOf(['restart'], { open, tools });
    expect(report?.findings).toEqual([
      {
        kind: 'server',
        code: 'SERVER_FAILED',
        message: 'The server did not come up again after it was closed. The port is taken.',
      },
    ]);
  });

  it('tells of a process that a server leaves behind', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const left = child.pid ?? 0;
      const usage = () => ({ memoryBytes: 1, cpuMs: 1, processes: 2, pids: [left] });
      const open = fakeOpenEach((number) => ({ pid: nobody, tools, ...(number === 2 && { usage }) }));
      expect(await verdictOf(['restart'], { open, tools })).toMatchObject([
        { says: ['A process of the server ran on after the server had ended.'] },
      ]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('tells of a request that is not given up when the process is killed', async () => {
    const open = fakeOpenEach((number) => {
      let lists = 0;
      return {
        pid: nobody,
        tools,
        request: (method) => {
          if (method === 'tools/list') lists += 1;
          return number === 1 && lists === 2 ? silence() : undefined;
        },
      };
    });
    expect(await verdictOf(['restart'], { open, tools, timeoutMs: 30 })).toMatchObject([
      { says: ['A request to the server was not given up when its process was killed: it timed out.'] },
    ]);
  });
});
