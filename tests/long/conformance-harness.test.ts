import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { runConformance } from '../../src/services/conformance/conformance.js';
import { conforming, serverOf } from '../services/conformance/bridged.js';
import { suites } from './conformance.js';
import { longMs } from './scale.js';
import { programs } from './stdio-servers.js';

const options = { environment: process.env, log: createLog({ level: 'error' }), note: () => {} };
const timeout = longMs;

function statusesOf(reports: Awaited<ReturnType<typeof runConformance>>): readonly string[] {
  return reports.map(({ status, id, findings }) => [status, id, ...findings.map(({ message }) => message)].join(' '));
}

describe.runIf(suites.length > 0)('the official conformance suite, through the bridge', () => {
  it('passes a server on stdio that has all that it asks for', { timeout }, async () => {
    const spec = { revision: '2025-11-25', timeout } as const;
    const reports = await runConformance(spec, conforming, { ...options, texts: new Map() });
    expect(reports).toHaveLength(30);
    expect(statusesOf(reports).filter((line) => !line.startsWith('passed'))).toEqual([]);
  });

  it('passes requests without sessions to it, too', { timeout }, async () => {
    const scenarios = ['tools-list', 'tools-call-with-progress', 'resources-read-binary', 'http-header-validation'];
    const spec = { revision: '2026-07-28', scenarios, timeout } as const;
    const reports = await runConformance(spec, conforming, { ...options, texts: new Map() });
    expect(statusesOf(reports)).toEqual(scenarios.map((name) => `passed conformance: ${name}`));
  });

  it.runIf(programs)('finds in a real server nothing beyond its baseline', { timeout }, async () => {
    const file = 'conformance-baseline-everything.yml';
    const texts = new Map([[file, readFileSync(join(import.meta.dirname, file), 'utf8')]]);
    const spec = { revision: '2025-11-25', expected_failures: file, timeout } as const;
    const reports = await runConformance(spec, serverOf(programs?.everything ?? ''), { ...options, texts });
    expect(statusesOf(reports).filter((line) => line.startsWith('failed'))).toEqual([]);
    expect(reports.filter(({ status }) => status === 'passed')).toHaveLength(12);
  });
});
