import { afterEach, expect, it, vi } from 'vitest';
import { createTerminal, paint } from '../../src/cli/terminal.js';

const interrupt = new AbortController().signal;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('data goes to stdout and everything else to stderr', () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const terminal = createTerminal(interrupt);
  terminal.out('data');
  terminal.note('note');
  expect(stdout.mock.calls).toEqual([['data']]);
  expect(stderr.mock.calls).toEqual([['note']]);
});

it.each([
  [true, '', true],
  [true, '1', false],
  [false, '', false],
])('on a terminal: %j, with NO_COLOR=%j, colours are %j', (isTerminal, noColor, colours) => {
  vi.stubEnv('NO_COLOR', noColor);
  vi.stubEnv('TERM', 'xterm');
  const before = process.stderr.isTTY;
  process.stderr.isTTY = isTerminal;
  const terminal = createTerminal(interrupt);
  process.stderr.isTTY = before;
  expect(terminal.colours).toBe(colours);
  expect(paint(terminal, 'red', 'x')).toBe(colours ? '\u001b[31mx\u001b[39m' : 'x');
});

it('the engine is made when it is asked for', async () => {
  const engine = await createTerminal(interrupt).createEngine({});
  expect(engine.status()).toEqual({ running: 0, waiting: 0, starts: 0, crashes: 0, scripts: [] });
  await engine.close();
});
