import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failure, guards, hasGuard, open, textOf } from './harness.js';

const limit = `
import resource, sys

pid, wanted = map(int, sys.argv[1:])
hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
resource.prlimit(pid, resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))
`;
const interpreter = (await guards())[0]?.python ?? '';

describe.skipIf(!hasGuard).each(await guards())('a host without free descriptors, $name,', ({ python }) => {
  it('says so, and the server works when it has some again', async () => {
    const toolbox = open('answers_with_its_process.mjs', {}, { python });
    const error = await withoutDescriptors(() => failure(toolbox.call('pid', {})));
    expect(error).toMatchObject({ code: 'SERVER_FAILED', message: expect.stringContaining('too many files open') });
    expect(JSON.parse(textOf(await toolbox.call('pid', {}))).calls).toBe(1);
  });
});

/** What the work comes to while this process can open no more files. */
async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const allow = (count: number) => execFileSync(interpreter, ['-c', limit, String(process.pid), String(count)]);
  allow(readdirSync('/proc/self/fd').length + 100);
  const held = openAll();
  try {
    return await work();
  } finally {
    for (const descriptor of held) closeSync(descriptor);
    allow(4096);
  }
}

function openAll(): number[] {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    return held;
  }
}
