import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerTarget } from '../../../src/client/target.js';
import { caseReportSchema } from '../../../src/harness/report.js';
import type { ConformanceSpec } from '../../../src/harness/suite/schema-checks.js';
import { type ConformanceOptions, runConformance } from '../../../src/services/conformance/conformance.js';
import { quiet } from './bridged.js';

const program = join(import.meta.dirname, 'servers/fake_suite.mjs');
const versions = ['0.1.16', '0.2.0-alpha.12'].map((version) => ({ version, node: process.execPath, program }));
const environment = { MCP_EXECUTION_CONFORMANCE: JSON.stringify(versions) };
const address = { kind: 'url', url: 'http://127.0.0.1:9/mcp' } as const;

async function run(
  spec: Partial<ConformanceSpec> = {},
  target: ServerTarget = address,
  options: Partial<ConformanceOptions> = {},
) {
  const notes: string[] = [];
  const note = (message: string) => void notes.push(message);
  const whole = { revision: '2025-11-25' as const, timeout: 60_000, ...spec };
  const all = { texts: new Map<string, string>(), environment, log: quiet, note, ...options };
  const reports = await runConformance(whole, target, all);
  for (const report of reports) caseReportSchema.parse(report);
  return { notes, reports, of: (id: string) => reports.find((report) => report.id === id) };
}

describe('the conformance check', () => {
  it('reports every scenario, in the order in which they were run', async () => {
    const { reports, of, notes } = await run();
    expect(reports.map(({ id, status }) => `${status} ${id}`)).toEqual([
      'passed conformance: ping',
      'failed conformance: tools-list',
      'failed conformance: throws',
      'skipped conformance: tasks-lifecycle',
      'skipped conformance: checks-nothing',
    ]);
    expect(of('conformance: checks-nothing')?.reason).toBe(
      'the official suite looked at nothing: Says odd: no such tool',
    );
    expect(notes).toEqual(['Where these failures are known: expected_failures: [tools-list, throws]']);
    const failed = of('conformance: tools-list');
    expect(failed?.findings).toEqual([
      {
        kind: 'conformance',
        message: 'Says tools-list: wrong at http://127.0.0.1:9/mcp',
        detail: 'Check tools-list (tools-list)\nSee https://example.com/spec',
      },
    ]);
    expect(failed?.values).toEqual({ checks: 2, warnings: ['Says tools-advice: better'] });
    expect(of('conformance: throws')?.findings[0]?.message).toBe('The scenario could not be run: Error: it threw');
    expect(of('conformance: tasks-lifecycle')?.reason).toBe(
      'fails, and is not scored (extension): Says tasks: no tasks',
    );
  });

  it('passes over what is known to fail, and tells of what passes now', async () => {
    const baseline = 'server:\n  - throws\n  - ping\n  - tools-list:tools-list\n  - nowhere\nclient:\n  - other\n';
    const { of, notes } = await run({ expected_failures: 'known.yml' }, address, {
      texts: new Map([['known.yml', baseline]]),
    });
    expect(of('conformance: tools-list')).toMatchObject({
      status: 'skipped',
      reason: 'known to fail: Says tools-list: wrong at http://127.0.0.1:9/mcp',
      findings: [],
    });
    expect(of('conformance: throws')?.status).toBe('skipped');
    expect(of('conformance: ping')?.findings).toMatchObject([
      { message: 'ping passes now; take it out of expected_failures' },
    ]);
    expect(notes).toEqual(['expected_failures names nowhere, which the conformance suite did not run']);
  });

  it('runs the scenarios that are named, and tells of those that there are not', async () => {
    const { reports } = await run({ scenarios: ['ping', 'old', 'tool-list'], revision: '2026-07-28' });
    expect(reports).toMatchObject([
      { id: 'conformance: ping', status: 'passed' },
      { id: 'conformance: old', status: 'skipped', runs: 0 },
      { id: 'conformance: tool-list', status: 'failed' },
    ]);
    expect(reports[1]?.reason).toContain('not applicable at spec version 2026-07-28');
    expect(reports[2]?.findings[0]?.message).toBe(
      'The official conformance suite 0.2.0-alpha.12 has no scenario "tool-list". Did you mean tools-list?',
    );
  });

  it('is ended when it takes too long', async () => {
    const { reports } = await run({ timeout: 300 }, { kind: 'url', url: 'http://127.0.0.1:9/hangs' });
    expect(reports.at(-1)).toMatchObject({ id: 'conformance', status: 'failed', findings: [{ code: 'TIMEOUT' }] });
    expect(reports.at(-1)?.findings[0]?.message).toContain('was ended after 300 ms');
    const { reports: cut } = await run({ timeout: 300 }, { kind: 'url', url: 'http://127.0.0.1:9/hangs/at/once' });
    // On a machine with much to do it has not even begun by then.
    expect(cut[0]?.findings[0]?.message).toMatch(/with 0 scenarios done( and in the midst of ping)?;/);
  });

  it('keeps what was done when the run is interrupted', async () => {
    const interruption = new AbortController();
    const server = createServer(() => interruption.abort());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const target = { kind: 'url', url: `http://127.0.0.1:${port}/hangs` } as const;
    const { reports } = await run({}, target, { signal: interruption.signal });
    expect(reports).toMatchObject([
      { id: 'conformance: ping', status: 'passed' },
      { id: 'conformance', status: 'skipped', reason: 'the run was interrupted' },
    ]);
  });

  it('tells of a suite that ends before its end, with its last words', async () => {
    const { reports } = await run({}, { kind: 'url', url: 'http://127.0.0.1:9/dies' });
    expect(reports.at(-1)).toMatchObject({ id: 'conformance', status: 'failed' });
    expect(reports.at(-1)?.findings[0]).toMatchObject({
      message: 'The official conformance suite ended by itself after 1 of 5 scenarios',
      detail: expect.stringContaining('out of luck'),
    });
  });

  it('is skipped where the run is interrupted before it', async () => {
    const { reports } = await run({}, address, { signal: AbortSignal.abort() });
    expect(reports).toMatchObject([{ id: 'conformance', status: 'skipped', reason: 'the run was interrupted' }]);
  });

  it('gives a command an address of its own', async () => {
    const { of } = await run({}, { kind: 'command', command: 'no-such-program', args: [] });
    expect(of('conformance: tools-list')?.findings[0]?.message).toMatch(/wrong at http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it('says that the suite cannot send headers, and shows none', async () => {
    const { reports } = await run({}, { ...address, headers: { authorization: 'Bearer abcdefgh' } });
    expect(reports).toMatchObject([{ status: 'failed', findings: [{ code: 'INVALID_SUITE' }] }]);
    expect(reports[0]?.findings[0]?.message).toContain('cannot send the headers');
    expect(JSON.stringify(reports)).not.toContain('abcdefgh');
  });

  it('shows no values of the environment of the server', async () => {
    const port = { kind: 'command', command: 'no-such-program', args: [], env: { HIDDEN: '127.0.0.1' } } as const;
    const { of } = await run({}, port);
    expect(of('conformance: tools-list')?.findings[0]?.message).toContain('[redacted HIDDEN]');
  });
});
