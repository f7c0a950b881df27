import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../src/cli/terminal.js';
import { recordSuite } from '../../src/cli/test-recording.js';
import { parseSettings } from '../../src/config.js';
import { readSuite } from '../../src/harness/suite/read.js';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';

const server = join(import.meta.dirname, '../harness/servers/well_behaved.mjs');
const environment = { PATH: process.env.PATH };
const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a client', version: '1' } },
};
const call = { id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 2, b: 3 } } };

/** Records what the server says to these requests, each of which is sent when the one before was answered. */
async function recording(
  file: string,
  words: readonly string[],
  requests: readonly object[],
  interruption?: AbortController,
) {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  errors.resume();
  let stderr = '';
  const terminal: Terminal = {
    out: () => {},
    note: (text) => {
      stderr += text;
    },
    watched: false,
    colours: false,
    environment,
    interrupt: (interruption ?? new AbortController()).signal,
    createEngine: () => Promise.reject(new Error('not needed')),
  };
  const answers: string[] = [];
  const left = [...requests];
  const next = () => {
    const request = left.shift();
    if (request === undefined) interruption ? interruption.abort() : input.end();
    else input.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  };
  createInterface({ input: output }).on('line', (line) => {
    answers.push(line);
    next();
  });
  next();
  const exitCode = await recordSuite(
    { server: { words, isCommand: true }, flags: { record: file } },
    { engine: parseSettings(), isLogAsked: false },
    terminal,
    { input, output, errors },
  );
  return { exitCode, stderr, answers: answers.map((line) => JSON.parse(line)) };
}

describe('mcp-exec test --record', () => {
  it('passes on what client and server say, and writes a suite of it', async () => {
    const file = join(await createFolder(), 'suite.yaml');
    const { exitCode, stderr, answers } = await recording(file, [process.execPath, server], [initialize, call]);
    expect(exitCode).toBe(0);
    expect(answers).toMatchObject([{ id: 1 }, { id: 2, result: { structuredContent: { sum: 5 } } }]);
    expect(stderr).toContain(`${file} has 1 case. Next: mcp-exec test ${file}\n`);
    const { cases, document } = await readSuite(file, { environment });
    expect(cases.map(({ spec }) => spec.tool)).toEqual(['add']);
    expect(document.server).toMatchObject({ command: process.execPath, args: [server] });
  });

  it('says that nothing was recorded, and ends with 1 where the server ended by itself', async () => {
    const file = join(await createFolder(), 'suite.yaml');
    const ending = [process.execPath, '-e', 'process.exit(3)'];
    const { exitCode, stderr } = await recording(file, ending, [initialize]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('ended with exit code 3.\n');
    expect(stderr).toContain('Nothing was recorded, and no suite was written.\n');
    expect(existsSync(file)).toBe(false);
  });

  it('ends with 130 when it is interrupted, and keeps what it had', async () => {
    const file = join(await createFolder(), 'suite.yaml');
    const requests = [initialize, call];
    const { exitCode } = await recording(file, [process.execPath, server], requests, new AbortController());
    expect(exitCode).toBe(130);
    expect((await readSuite(file, { environment })).cases).toHaveLength(1);
  });

  it.each([
    [['--record', 'suite.yaml'], /Name the server: a command behind --/],
    [['--record', 'suite.yaml', 'other.yaml'], /A command stands behind --: -- other\.yaml/],
    [['--record', 'suite.yaml', '--watch', '--', 'node'], /--watch is no flag of test --record/],
    [['--record', 'suite.json', '--', 'node'], /--record: a suite is written as YAML/],
    [
      ['--record', 'x.yaml', '--url', 'http://x', '--', 'node'],
      /--url: a server is recorded at its address, or as a command/,
    ],
  ])('refuses %j with 2', async (words, message) => {
    const { exitCode, stderr } = await say(['test', ...words], { environment });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
