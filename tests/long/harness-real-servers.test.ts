import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { type CaseReport, type Report, reportSchema } from '../../src/harness/report.js';
import { folderWith, processesLeft } from '../engine/harness.js';
import { suites as conformance } from './conformance.js';
import { longMs } from './scale.js';
import { programs } from './stdio-servers.js';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');
const suites = join(import.meta.dirname, '../suites');
const timeout = longMs;
const { everything = '', filesystem = '', memory = '' } = programs ?? {};
const servers = { EVERYTHING_SERVER: everything, FILESYSTEM_SERVER: filesystem, MEMORY_SERVER: memory };

afterAll(() => {
  expect(processesLeft()).toEqual([]);
});

async function mcpExec(args: readonly string[], cwd: string) {
  const env = { ...process.env, ...servers, CI: '1' };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, stdout, stderr };
}

/** A run that passes; where it does not, the test shows what people are shown. */
async function passing(suite: string): Promise<readonly CaseReport[]> {
  const folder = folderWith({});
  const { exitCode, stdout, stderr } = await mcpExec(['test', suite, '--json', 'report.json'], folder);
  expect({ exitCode, stderr, failed: stdout.match(/^ {2}FAILED.*$/gm) ?? [] }).toEqual({
    exitCode: 0,
    stderr: '',
    failed: [],
  });
  const report: Report = reportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')));
  expect(report).toMatchObject({ outcome: 'passed', totals: { failed: 0, flaky: 0 } });
  expect(report.suites[0]?.server).toMatchObject({ crashes: [], noise: [] });
  return report.suites.flatMap(({ cases }) => cases);
}

function countOf(cases: readonly CaseReport[], status: CaseReport['status']) {
  const kinds = new Map<string, number>();
  for (const { kind, status: its } of cases) if (its === status) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return Object.fromEntries(kinds);
}

describe.runIf(programs)('suites of servers that others wrote', { timeout }, () => {
  it.runIf(conformance.length > 0)('pass: server-everything, with the official conformance suite', async () => {
    const cases = await passing(join(suites, 'everything.suite.yaml'));
    const { check, conformance: scenarios, server, ...ours } = countOf(cases, 'passed');
    expect(ours).toEqual({ tool: 35, prompt: 5, resource: 7, list: 6, request: 6 });
    expect({ check, scenarios, server }).toEqual({ check: 18, scenarios: 12, server: 1 });
    expect(countOf(cases, 'skipped')).toEqual({ tool: 1, conformance: 18 });
  });

  it('pass: server-filesystem, which gives away and changes nothing beyond its folder', async () => {
    const cases = await passing(join(suites, 'filesystem.suite.yaml'));
    expect(countOf(cases, 'passed')).toEqual({ tool: 31, list: 1, check: 24, server: 1 });
    expect(cases.filter(({ status }) => status === 'skipped').map(({ id }) => id)).toEqual([
      'check: idempotence',
      'check: arguments',
    ]);
  });

  it('pass: server-memory, whose answers become input of later cases', async () => {
    const cases = await passing(join(suites, 'memory.suite.yaml'));
    expect(countOf(cases, 'passed')).toEqual({ tool: 19, resource: 2, request: 1, check: 14, server: 1 });
    const found = cases.find(({ id }) => id === 'entities are created');
    expect(found?.values).toEqual({ person: 'Ada', machine: 'Engine' });
    expect(cases.find(({ load }) => load)?.load).toMatchObject({ clients: 4, calls: 120, errors: 0 });
  });
});

describe.runIf(programs)('a first suite of a server that others wrote', { timeout }, () => {
  const written = (folder: string) => readFileSync(join(folder, 'draft.yaml'), 'utf8');

  async function draft(folder: string, ...command: readonly string[]): Promise<string> {
    const { exitCode, stderr } = await mcpExec(['test', 'init', '--out', 'draft.yaml', '--', ...command], folder);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Next: mcp-exec test draft.yaml')]);
    return stderr;
  }

  it('is green for server-everything, and says what it left out', async () => {
    const folder = folderWith({});
    const said = await draft(folder, 'node', everything);
    expect(said).toContain('tool simulate-research-query: it runs only as a task');
    expect(said).toContain('tool gzip-file-as-resource: it changes things beyond the server');
    const { tool = 0, prompt = 0, resource = 0 } = countOf(await passing(join(folder, 'draft.yaml')), 'passed');
    expect(tool).toBeGreaterThanOrEqual(9);
    expect([prompt, resource]).toEqual([3, 3]);
  });

  it('is green for server-filesystem, and destroys nothing', async () => {
    const folder = folderWith({});
    const files = folderWith({ 'note.txt': 'a note\n' });
    const said = await draft(folder, 'node', filesystem, files);
    for (const tool of ['write_file', 'edit_file', 'move_file']) {
      expect(said).toContain(`tool ${tool}: it says that it may destroy something`);
      expect(written(folder)).toMatch(
        new RegExp(`^    skip: it says that it may destroy something[^\\n]*\\n    tool: ${tool}$`, 'm'),
      );
    }
    await passing(join(folder, 'draft.yaml'));
    expect(readFileSync(join(files, 'note.txt'), 'utf8')).toBe('a note\n');
    expect(readdirSync(files).filter((name) => name !== 'example')).toEqual(['note.txt']);
  });

  it('is green for server-memory, and for what it knows then', async () => {
    const folder = folderWith({});
    const known = { type: 'entity', name: 'Ada', entityType: 'person', observations: ['wrote the first program'] };
    const file = join(folderWith({ 'memory.jsonl': `${JSON.stringify(known)}\n` }), 'memory.jsonl');
    const said = await draft(folder, 'env', `MEMORY_FILE_PATH=${file}`, 'node', memory);
    expect(said).toContain('tool delete_entities: it says that it may destroy something');
    await passing(join(folder, 'draft.yaml'));
    expect(readFileSync(file, 'utf8')).toContain('wrote the first program');
  });
});
