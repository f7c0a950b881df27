import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodeToolbox } from '../../../src/codemode/toolbox/toolbox.js';
import type { JsonObject, ToolResult } from '../../../src/toolbox.js';
import { fakeCode } from './fake-code.js';

describe('the arguments of execute_script', () => {
  it('reach the operation', async () => {
    const code = fakeCode();
    const limits = { timeoutMs: 1000, maxCalls: 3 };
    const asked = { script: 'print(1)', args: ['a'], context: { n: 1 }, limits, save: 'one' };
    await createCodeToolbox(code).call('execute_script', asked);
    expect(code.executed).toMatchObject([asked]);
    expect(code.executed[0]).not.toHaveProperty('path');
  });

  it('may be JSON text where an object or a list is asked for, and are text where text is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.string()), async (context, args) => {
        const code = fakeCode();
        const script = JSON.stringify(context);
        await createCodeToolbox(code).call('execute_script', {
          script,
          context: JSON.stringify(context),
          args: JSON.stringify(args),
        });
        expect(code.executed).toHaveLength(1);
        expect(code.executed[0]?.script).toBe(script);
        expect(JSON.stringify(code.executed[0]?.context)).toBe(script);
        expect(code.executed[0]?.args).toEqual(args);
      }),
    );
  });

  it('may be null where they are left out', async () => {
    const code = fakeCode();
    await createCodeToolbox(code).call('execute_script', { script: '1', path: null, context: null });
    expect(code.executed).toHaveLength(1);
  });

  it.each([
    [{}, 'Arguments: give one of script, path and saved; got none'],
    [{ script: '1', saved: 'a' }, 'Arguments: give one of script, path and saved; got script and saved'],
    [{ script: 1 }, 'Argument script: expected string, got 1'],
    [{ script: '1', args: 'x' }, 'Argument args: expected array, got "x"'],
    [{ script: '1', args: [1] }, 'Argument args.0: expected string, got 1'],
    [{ script: '1', context: [] }, 'Argument context: expected an object, got []'],
    [{ script: '1', limits: { timeoutMs: 'soon' } }, 'Argument limits.timeoutMs: expected number, got "soon"'],
    [
      { script: '1', limits: { timeout: 1 } },
      'Unknown argument "timeout": did you mean timeoutMs? limits takes timeoutMs, cpuMs',
    ],
    [{ code: '1' }, 'Unknown argument "code": execute_script takes script, path, saved'],
    [{ script: '1', policy: {} }, 'Unknown argument "policy"'],
  ])('%j are refused with what to change', async (args: JsonObject, message) => {
    const code = fakeCode();
    const result = await createCodeToolbox(code).call('execute_script', args);
    expect(result).toMatchObject({ isError: true, code: 'INVALID_ARGUMENTS' });
    expect(textOf(result)).toContain(message);
    expect(code.executed).toEqual([]);
  });

  it('that are wrong are told in bounds, all of them at once', async () => {
    const args = { script: 'x'.repeat(2 ** 21), args: Array(50).fill(1), save: '\u001b[2J' };
    const text = textOf(await createCodeToolbox(fakeCode()).call('execute_script', args));
    expect(text.length).toBeLessThan(2000);
    expect(text).toContain('Argument script: ');
    expect(text).toContain('more problems');
    expect(text).not.toContain('\u001b');
  });
});

describe('a name that is no tool', () => {
  it('is an error of the protocol that tells where tools of servers are called', async () => {
    const call = createCodeToolbox(fakeCode()).call('create_issue', {});
    await expect(call).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
      message: expect.stringContaining('execute_script'),
    });
  });
});

function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
