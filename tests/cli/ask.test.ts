import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from '../../src/cli/install/ask.js';

describe('a question that takes silence for a no', () => {
  it.each([
    ['\n', false],
    ['y\n', true],
    [' Yes \n', true],
    ['n\n', false],
    ['yikes\n', false],
  ])('takes %j as %s', async (answer, wanted) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(answer);
    expect(await confirm('Permit this call?', { input, output, unlessSaid: false })).toBe(wanted);
    expect(String(output.read())).toContain('Permit this call? [y/N] ');
  });
});
