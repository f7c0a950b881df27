import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSession } from '../../../src/client/session/session.js';
import { checkNames } from '../../../src/harness/suite/schema-checks.js';
import type { OpenServer, TestedServer } from '../../../src/testedserver.js';
import type { Tool } from '../../../src/toolbox.js';
import { example, reportsOf } from './reports.js';

const opened: TestedServer[] = [];
const all = Object.fromEntries(checkNames.map((name) => [name, true]));

/** Opens a fixture as a process of its own. */
function processOf(fixture: string, ...args: readonly string[]): OpenServer {
  const file = join(import.meta.dirname, '..', 'servers', fixture);
  return async () => {
    const server = await openSession({ kind: 'command', command: process.execPath, args: [file, ...args], env: {} });
    opened.push(server);
    return server;
  };
}

async function toolsOf(open: OpenServer): Promise<readonly Tool[]> {
  const server = await open();
  const { outcome } = await server.request('tools/list', {}, { timeoutMs: 5000 });
  await server.close();
  return (outcome.kind === 'result' ? outcome.result.tools : []) as unknown as readonly Tool[];
}

async function run(checks: unknown, open: OpenServer, examples = [example('echo', { message: 'hello' })]) {
  const reports = await reportsOf(checks, { open, tools: await toolsOf(open), examples, timeoutMs: 5000 });
  return reports.map(({ id, status, findings, reason }) => ({ id, status, says: findings[0]?.message, reason }));
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

describe('a server that behaves', () => {
  it('passes every check', async () => {
    const examples = [
      example('echo', { message: 'hello' }),
      example('add', { a: 1, b: 2 }),
      example('slow', { ms: 120 }, 120),
    ];
    const results = await run({ ...all, idempotence: { except: ['slow'] } }, processOf('well_behaved.mjs'), examples);
    expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(results.filter(({ status }) => status === 'skipped').map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      expect.stringMatching(/^check: idempotence of fails: fails refuses the call/),
      expect.stringMatching(/^check: arguments: Left out, .* remove\./),
    ]);
    expect(results.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['check: arguments of add', 'check: cancellation of slow', 'check: restart']),
    );
  });
});

describe('a server that breaks its promises', () => {
  it('fails every check', async () => {
    const text = (tool: string) => ({ tool, argument: 'text' });
    const results = await run(
      {
        schemas: { tools: ['bad name!'] },
        idempotence: true,
        arguments: { tools: ['accepts_anything'] },
        unknown: true,
        cancellation: { tool: 'answers_after_cancel', after: 20 },
        large: { ...text('dies'), bytes: 1000 },
        unicode: text('mangles_unicode'),
        parallel: text('confused_by_parallel'),
      },
      processOf('broken_server.mjs'),
    );
    expect(results.map(({ says }) => says)).toEqual([
      expect.stringContaining('"bad name!" has a name that is not made of'),
      'changes_its_mind says that it only reads, and gave another answer to the same call. Where its answers may differ, leave it out: idempotence: { except: [changes_its_mind] }.',
      'A call of accepts_anything without the required count was taken as if nothing were wrong.',
      'A call of no_such_tool, which does not exist, was answered as if it had worked.',
      expect.stringContaining('answers_after_cancel was cancelled, and answered all the same'),
      expect.stringContaining('A call of dies with 1000 bytes in text got no answer.'),
      'A text of letters with accents came back changed.',
      'Of 16 calls of confused_by_parallel at once, one got an answer without its text.',
    ]);
  });

  it('that has other tools with each start fails the check of restarts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-execution-checks-'));
    try {
      const open = processOf('broken_server.mjs', `starts=${join(folder, 'starts')}`);
      expect(await run(['restart'], open)).toMatchObject([
        { says: expect.stringContaining('came up with other tools') },
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
