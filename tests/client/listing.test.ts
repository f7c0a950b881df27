import { describe, expect, it } from 'vitest';
import { failure, open, recordLog, textOf, until } from './harness.js';

describe('the list of tools', () => {
  it('is read to its end, 10,000 tools on many pages', async () => {
    const tools = await open('lists_pages.mjs').listTools();
    expect(tools.length).toBe(10_000);
    expect(tools.at(-1)).toEqual({ name: 't9999', inputSchema: { type: 'object' } });
  });

  it.each([
    ['goes round in a circle', 'circle', 'the same page comes again'],
    ['never ends', 'endless', 'more than 1000 pages'],
  ])('that %s is refused', async (_name, kind, sentence) => {
    const toolbox = open('lists_pages.mjs', { args: [pathOf('lists_pages.mjs'), kind] });
    expect(await failure(toolbox.listTools())).toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringContaining(sentence),
    });
  });

  it('holds each name once, and nothing that is no tool', async () => {
    const { log, text } = recordLog();
    const toolbox = open('lists_pages.mjs', { args: [pathOf('lists_pages.mjs'), 'odd'] }, { log });
    expect((await toolbox.listTools()).map(({ name }) => name)).toEqual(['one', 'bare']);
    expect(text()).toContain('"leftOut":3');
  });

  it('is asked for once, until the server says that it changed', async () => {
    const toolbox = open('changes_its_tools.mjs');
    let changes = 0;
    const stop = toolbox.onToolsChanged(() => {
      changes += 1;
    });
    const [one, same] = await Promise.all([toolbox.listTools(), toolbox.listTools()]);
    expect(same).toBe(one);
    expect(await toolbox.listTools()).toBe(one);
    await toolbox.call('grow', {});
    await until(() => changes === 1);
    expect((await toolbox.listTools()).map(({ name }) => name)).toEqual(['grow', 'tool_1']);
    stop();
    await toolbox.call('grow', {});
    expect(changes).toBe(1);
  });

  it('is asked for again after a failure', async () => {
    const toolbox = open('dies_at_start.mjs');
    await failure(toolbox.listTools());
    await failure(toolbox.listTools());
    expect(toolbox.status().starts).toBe(2);
  });
});

describe('a check', () => {
  it('passes where a process answers, and fails with the reason where none can', async () => {
    await open('answers_with_its_process.mjs').probe();
    expect((await failure(open('dies_at_start.mjs').probe())).message).toContain('exit code 7');
  });

  it('needs no more than one process, and leaves it for the first call', async () => {
    const toolbox = open('answers_with_its_process.mjs');
    await toolbox.probe();
    await toolbox.probe();
    await toolbox.call('pid', {}, { session: 'one' });
    expect(toolbox.status()).toMatchObject({ starts: 1, idle: 1 });
  });

  it('ends an idle process that does not answer any more', async () => {
    const toolbox = open('answers_with_its_process.mjs', {}, { probeMs: 200 });
    const { pid } = JSON.parse(textOf(await toolbox.call('pid', {})));
    process.kill(pid, 'SIGSTOP');
    expect((await failure(toolbox.probe())).code).toBe('TIMEOUT');
    await toolbox.probe();
    expect(JSON.parse(textOf(await toolbox.call('pid', {}))).pid).not.toBe(pid);
  });
});

describe('processes of a server', () => {
  it('belong to one session each, and end with it', async () => {
    const toolbox = open('answers_with_its_process.mjs');
    const counts = async (session?: string, caller?: string) =>
      JSON.parse(textOf(await toolbox.call('pid', {}, { session, caller })));
    const [one, other] = [await counts('one'), await counts('other')];
    expect(one.pid).not.toBe(other.pid);
    expect(await counts('one')).toEqual({ pid: one.pid, calls: 2 });
    const mine = await counts(undefined, 'me');
    expect(await counts(undefined, 'me')).toEqual({ pid: mine.pid, calls: 2 });
    expect((await counts(undefined, 'you')).pid).not.toBe(mine.pid);
    await toolbox.endSession('one');
    expect((await counts('one')).calls).toBe(1);
  });

  it('are all new after a restart, and a recycling', async () => {
    const toolbox = open('answers_with_its_process.mjs', { stateless: true });
    const pid = async () => JSON.parse(textOf(await toolbox.call('pid', {}))).pid;
    const first = await pid();
    await toolbox.restart();
    const second = await pid();
    await toolbox.recycle();
    expect(new Set([first, second, await pid()]).size).toBe(3);
  });

  it('answer calls under way with an error when they are restarted', async () => {
    const toolbox = open('ignores_cancel.mjs', { stateless: true });
    await toolbox.warm();
    const call = failure(toolbox.call('deaf', {}));
    await toolbox.restart();
    expect(await call).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('restarted') });
  });
});

function pathOf(server: string): string {
  return `${import.meta.dirname}/servers/${server}`;
}
