import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSuite } from '../../src/index.js';

const server = { command: process.execPath, args: [join(import.meta.dirname, '../harness/servers/well_behaved.mjs')] };
const echo = { name: 'echoes', tags: ['smoke'], tool: 'echo', arguments: { message: 'hi' } };
const suite = { version: 1 as const, server, cases: [echo] };

describe('runSuite', () => {
  it.each([
    [{ parallel: -1 }, 'runSuite: parallel: expected a whole number from 1 to 256'],
    [{ repeat: 0 }, 'runSuite: repeat: expected a whole number from 1 to 100,000'],
    [{ bail: 0.5 }, 'runSuite: bail: expected a whole number from 0'],
    [{ tags: 'smoke' }, 'runSuite: tags: expected a list of texts'],
    [{ filter: /echo/ }, 'runSuite: filter: expected a text'],
    [{ onEvent: 'log' }, 'runSuite: onEvent: expected a function'],
    [{ signal: 'stop' }, 'runSuite: signal: expected an AbortSignal'],
    [{ environment: null }, 'runSuite: environment: expected an object of variables'],
    [{ engine: 'fork' }, 'runSuite: engine: expected an object of settings'],
    [{ log: {} }, 'runSuite: log: expected a log with error, warn, info, debug and child'],
    [null, 'runSuite: options: expected an object'],
    [{ paralel: 2 }, 'runSuite: paralel: there is no such option; did you mean parallel?'],
  ])('refuses the options %j', async (options, message) => {
    // As a program without types would call it.
    const refused = Reflect.apply(runSuite, undefined, [suite, options]);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS', message });
  });

  it('rejects where no case is meant, which would look like a run that passed', async () => {
    const nothing = runSuite({ version: 1, server });
    await expect(nothing).rejects.toThrow('There is no case to run: the suite has neither cases nor checks');
    const filtered = runSuite(suite, { filter: 'echos' });
    await expect(filtered).rejects.toThrow('No case matches filter "echos"; did you mean "echoes"?');
    const tagged = runSuite(suite, { filter: 'echo', tags: ['smok'] });
    await expect(tagged).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(tagged).rejects.toThrow('No case matches filter "echo" and tags ["smok"]');
  });
});
