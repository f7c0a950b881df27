import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { encodeFrame } from '../../src/engine/frames.js';
import { createLane } from '../../src/engine/launch/lane.js';
import { createWorker, type Death } from '../../src/engine/launch/worker.js';

const death: Death = { exitCode: 0, signal: null, cpuMs: 1, peakBytes: 1 };

function makeWorker() {
  const pipes = {
    requests: new PassThrough(),
    answers: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const kill = vi.fn();
  const endPipes = () => {
    for (const pipe of [pipes.answers, pipes.stdout, pipes.stderr]) pipe.end();
  };
  return { pipes, kill, endPipes, worker: createWorker(createLane(pipes), { maxFrameBytes: 1000, kill }) };
}

const listener = () => ({ onFrame: vi.fn(), onOutput: vi.fn(), onGone: vi.fn() });

describe('a worker', () => {
  afterEach(() => void vi.useRealTimers());

  it('tells its death to the last who listened, and to nobody before', async () => {
    const { worker, endPipes } = makeWorker();
    const [first, last] = [listener(), listener()];
    worker.listen(first);
    worker.listen(last);
    worker.died(death);
    endPipes();
    expect(await worker.gone).toEqual(death);
    expect(first.onGone).not.toHaveBeenCalled();
    expect(last.onGone).toHaveBeenCalledExactlyOnceWith(death);
  });

  it('is gone at once when all that matters was read before its death', async () => {
    const { worker } = makeWorker();
    worker.finished();
    worker.died(death);
    expect(await worker.gone).toEqual(death);
  });

  it('is not gone before its pipes have ended', async () => {
    const { worker, pipes, endPipes } = makeWorker();
    const own = listener();
    worker.listen(own);
    worker.died(death);
    pipes.stdout.write('last words');
    endPipes();
    await worker.gone;
    expect(own.onOutput).toHaveBeenCalledExactlyOnceWith('stdout', Buffer.from('last words'));
  });

  it('does not wait for ever for pipes that somebody else holds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { worker } = makeWorker();
    worker.died(death);
    vi.advanceTimersByTime(1000);
    expect(await worker.gone).toEqual(death);
  });

  it('waits for a listener that holds it back, however long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { worker, pipes, endPipes } = makeWorker();
    const own = listener();
    worker.listen(own);
    worker.pause();
    pipes.stdout.write('held back');
    endPipes();
    worker.died(death);
    vi.advanceTimersByTime(60_000);
    expect(own.onOutput).not.toHaveBeenCalled();
    worker.resume();
    await worker.gone;
    expect(own.onOutput).toHaveBeenCalledExactlyOnceWith('stdout', Buffer.from('held back'));
  });

  it('says so when what it reads is no frame, and is killed where nobody listens', () => {
    const heard = makeWorker();
    const onBroken = vi.fn();
    heard.worker.listen({ ...listener(), onBroken });
    heard.pipes.answers.emit('data', encodeFrame('V', Buffer.alloc(1001)));
    expect(onBroken).toHaveBeenCalledOnce();
    expect(heard.kill).not.toHaveBeenCalled();
    const unheard = makeWorker();
    unheard.pipes.answers.emit('data', Buffer.alloc(10, 0xff));
    expect(unheard.kill).toHaveBeenCalledOnce();
  });
});
