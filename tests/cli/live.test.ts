import { expect, it } from 'vitest';
import { createLive } from '../../src/cli/live.js';
import { createTerminal } from '../../src/cli/terminal.js';

function drawnOn(term: string, watched: boolean): string {
  let noted = '';
  const live = createLive({
    ...createTerminal(new AbortController().signal),
    environment: { TERM: term },
    colours: false,
    watched,
    note(text) {
      noted += text;
    },
  });
  live.draw('Starting the server …');
  live.onEvent({ type: 'progress', done: 1, total: 2 });
  live.onEvent({ type: 'output', stream: 'stderr', line: 'a line' });
  live.end();
  return noted;
}

it('what is drawn is taken off the screen again', () => {
  expect(drawnOn('xterm', true)).toBe('Starting the server …\r\u001b[K1/2\r\u001b[Ka line\n');
});

it.each([
  ['a terminal that cannot take it off again', 'dumb', true],
  ['what no person watches', 'xterm', false],
])('nothing is drawn on %s, and lines are shown', (_what, term, watched) => {
  expect(drawnOn(term, watched)).toBe('a line\n');
});
