import { describe, expect, it } from 'vitest';
import { CallerError, createError, LimitError, ScriptError } from '../../src/errors.js';
import { resultOf, say } from './fake.js';

describe('call', () => {
  it('gives the engine the script, the function and the arguments', async () => {
    const seen: unknown[] = [];
    const { exitCode, closed } = await say(['call', 'x.py', 'f', 'a=1'], {
      engine: {
        call: async (work) => {
          seen.push(work);
          return resultOf(null);
        },
      },
    });
    expect(seen).toEqual([{ script: 'x.py', function: 'f', args: { a: 1 } }]);
    expect([exitCode, closed]).toEqual([0, true]);
  });

  it.each([
    ['plain text', 'plain text\n'],
    [{ a: [1, null] }, '{\n  "a": [\n    1,\n    null\n  ]\n}\n'],
    [null, 'null\n'],
    [7, '7\n'],
  ])('prints %j to stdout', async (value, text) => {
    const { stdout, stderr } = await say(['call', 'x.py', 'f'], { engine: { call: async () => resultOf(value) } });
    expect([stdout, stderr]).toEqual([text, '']);
  });

  it('shows what the script writes on stderr, as it is written', async () => {
    const { stdout, stderr } = await say(['call', 'x.py', 'f'], {
      engine: {
        call: async (_, options) => {
          await options?.onEvent?.({ type: 'output', stream: 'stdout', line: 'printed' });
          await options?.onEvent?.({ type: 'output', stream: 'stderr', line: 'warned' });
          await options?.onEvent?.({ type: 'log', level: 'info', message: 'logged' });
          await options?.onEvent?.({ type: 'progress', done: 1, total: 2 });
          return resultOf('value');
        },
      },
    });
    expect(stdout).toBe('value\n');
    expect(stderr).toBe('printed\nwarned\n[info] logged\n');
  });

  it('draws progress where a person watches, and takes it off again', async () => {
    const { stderr } = await say(['call', 'x.py', 'f'], {
      watched: true,
      engine: {
        call: async (_, options) => {
          await options?.onEvent?.({ type: 'progress', done: 1, total: 2, message: 'half' });
          await options?.onEvent?.({ type: 'progress', done: 2 });
          return resultOf('value');
        },
      },
    });
    expect(stderr).toBe('1/2 half\r\u001b[K2\r\u001b[K');
  });

  it('prints one JSON object with --json', async () => {
    const { stdout } = await say(['call', 'x.py', 'f', 'a=1', '--json']);
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      'value',
      'stdout',
      'stderr',
      'logs',
      'files',
      'exitCode',
      'figures',
    ]);
  });
});

describe('a failed call', () => {
  const failing = (error: Error) => ({ engine: { call: () => Promise.reject(error) } });
  const exception = new ScriptError('EXCEPTION', 'no', {
    type: 'ValueError',
    traceback: 'Traceback: ...\n',
    stdout: 'before',
    figures: resultOf(null).figures,
  });

  it('shows traceback, message and advice on stderr and ends with the code of the table', async () => {
    const { exitCode, stdout, stderr, closed } = await say(['call', 'x.py', 'f'], failing(exception));
    expect(stderr).toBe(`Traceback: ...\nEXCEPTION: ValueError: no\n${exception.advice}\n`);
    expect([exitCode, stdout, closed]).toEqual([1, '', true]);
  });

  it('shows what the script wrote during an import that failed, which comes with the error alone', async () => {
    const error = new ScriptError('EXCEPTION', '', { type: 'ValueError', stdout: 'before\n' });
    const { stderr } = await say(['call', 'x.py', 'f'], failing(error));
    expect(stderr).toBe(`before\nEXCEPTION: ValueError\n${error.advice}\n`);
    expect((await say(['call', 'x.py', 'f', '--json'], failing(error))).stderr).toBe('');
  });

  it('is a JSON object on stdout with --json', async () => {
    const { exitCode, stdout, stderr } = await say(['call', 'x.py', 'f', '--json'], failing(exception));
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'EXCEPTION', type: 'ValueError', message: 'no', stdout: 'before' });
    expect([exitCode, stderr]).toEqual([1, '']);
  });

  it.each([
    [new CallerError('UNKNOWN_TOOL', 'no such function'), 2],
    [createError('SPAWN_FAILED', 'no process'), 3],
    [new LimitError('TIMEOUT', 'too long'), 1],
    [new Error('a slip of our own'), 1],
  ])('%s ends with %d', async (error, exitCode) => {
    expect((await say(['call', 'x.py', 'f'], failing(error))).exitCode).toBe(exitCode);
    expect((await say(['call', 'x.py', 'f', '--json'], failing(error))).exitCode).toBe(exitCode);
  });

  it('has colours only where they are wanted', async () => {
    const plain = await say(['call', 'x.py', 'f'], failing(exception));
    const coloured = await say(['call', 'x.py', 'f'], { ...failing(exception), colours: true });
    expect(plain.stderr).not.toContain('\u001b[');
    expect(coloured.stderr).toContain('\u001b[31mEXCEPTION');
  });

  it('that was interrupted ends with 130', async () => {
    const interruption = new AbortController();
    const words = ['call', 'x.py', 'f'];
    const said = say(words, {
      interrupt: interruption.signal,
      engine: {
        call: (_, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => reject(new LimitError('CANCELLED', 'cancelled')));
            interruption.abort();
          }),
      },
    });
    expect(await said).toMatchObject({ exitCode: 130, closed: true });
  });
});
