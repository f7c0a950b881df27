import { describe, expect, it, onTestFinished } from 'vitest';
import { createKept, type KeptOptions } from '../../../src/gateway/mcp/kept.js';

interface Thing {
  readonly name: string;
  isInUse: boolean;
}

function keep(options: Partial<KeptOptions<Thing>> = {}) {
  const ended: string[] = [];
  const waiting = new Map<string, () => void>();
  const kept = createKept<Thing>({
    idleMs: () => 1e6,
    most: () => 2,
    isInUse: ({ isInUse }) => isInUse,
    end({ name }) {
      ended.push(name);
      waiting.get(name)?.();
    },
    ...options,
  });
  onTestFinished(kept.close);
  const get = (name: string) => kept.get(name, () => ({ name, isInUse: false }));
  const endOf = (name: string) => new Promise<void>((resolve) => waiting.set(name, resolve));
  return { kept, get, ended, endOf };
}

describe('what is kept', () => {
  it('is made once', () => {
    const { get } = keep();
    expect(get('a')).toBe(get('a'));
  });

  it('makes room by what was not needed for longest', () => {
    const { get, ended } = keep();
    for (const name of ['a', 'b', 'a', 'c']) get(name);
    expect(ended).toEqual(['b']);
  });

  it('is not ended for room while it is in use', () => {
    const { get, ended } = keep();
    for (const name of ['a', 'b']) get(name).isInUse = true;
    get('c');
    expect(ended).toEqual([]);
  });

  it('is ended when it was not needed for a while, and not before it is out of use', async () => {
    const { get, ended, endOf } = keep({ idleMs: () => 10 });
    const busy = get('busy');
    busy.isInUse = true;
    const idleEnded = endOf('idle');
    get('idle');
    await idleEnded;
    expect(ended).toEqual(['idle']);
    const busyEnded = endOf('busy');
    busy.isInUse = false;
    await busyEnded;
  });

  it('is dropped by name, and all of it at the end', () => {
    const { kept, get, ended } = keep();
    get('a');
    get('b');
    kept.drop(({ name }) => name === 'a');
    expect(ended).toEqual(['a']);
    kept.close();
    expect(ended).toEqual(['a', 'b']);
  });
});
