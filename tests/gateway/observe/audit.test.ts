import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEntry, createAudit } from '../../../src/gateway/observe/audit.js';
import { createLog } from '../../../src/log.js';
import { createFolder } from '../../interpreter/scripts.js';

const entry: AuditEntry = {
  who: { id: 'k1', name: 'ada' },
  action: 'service.upload',
  subject: 'word-count',
  outcome: 'done',
  detail: { bytes: 12 },
};

describe('the audit log', () => {
  it('has a line for each entry, in order, when record resolves', async () => {
    const { audit, lines } = await create();
    const recorded = ['a', 'b', 'c'].map((subject) => audit.record({ ...entry, subject }));
    await recorded.at(-1);
    const written = await lines();
    expect(written.map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);
    expect(written[0]).toEqual({ ...entry, subject: 'a', time: expect.stringMatching(/^\d{4}-.*Z$/) });
    await audit.close();
  });

  it('goes on where an earlier one stopped', async () => {
    const { audit, lines, again } = await create();
    await audit.record(entry);
    await audit.close();
    const second = again();
    await second.record({ ...entry, subject: 'later' });
    await second.close();
    expect((await lines()).map(({ subject }) => subject)).toEqual(['word-count', 'later']);
  });

  it('is told to the log as well, and to the log alone where there is no file', async () => {
    const told: string[] = [];
    const audit = createAudit({ log: createLog({ level: 'info', write: (line) => told.push(line) }) });
    await audit.record(entry);
    await audit.close();
    expect(told.join('')).toContain('"who":"ada","action":"service.upload","subject":"word-count","outcome":"done"');
  });

  it('keeps an entry on one line of bounded size', async () => {
    const { audit, lines, text } = await create();
    const long = `${'x'.repeat(10_000)}\n{"forged":1}`;
    const detail = { long, many: Array.from({ length: 10_000 }, () => 'y') };
    await audit.record({ ...entry, subject: long, who: { id: long, name: long }, detail });
    expect(await lines()).toHaveLength(1);
    expect((await text()).length).toBeLessThan(4000);
    await audit.close();
  });

  it('is moved aside when it has its size', async () => {
    const { audit, lines, file } = await create(400);
    for (const subject of ['a', 'b', 'c', 'd', 'e']) await audit.record({ ...entry, subject });
    await audit.close();
    const all = [...(await linesOf(`${file}.1`)), ...(await lines())];
    expect(all.at(-1)?.subject).toBe('e');
    expect((await lines()).length).toBeLessThan(5);
  });

  it('that cannot be written is told of, and harms nobody', async () => {
    const folder = await createFolder();
    await writeFile(join(folder, 'file'), '');
    const told: string[] = [];
    const log = createLog({ level: 'error', write: (line) => told.push(line) });
    const audit = createAudit({ file: join(folder, 'file', 'audit.jsonl'), log });
    await audit.record(entry);
    await audit.close();
    expect(told.join('')).toContain('the audit log cannot be written');
  });
});

async function create(maxBytes?: number) {
  const file = join(await createFolder(), 'data', 'audit.jsonl');
  const log = createLog({ level: 'silent' });
  const again = () => createAudit({ file, log, maxBytes });
  return {
    file,
    again,
    audit: again(),
    lines: () => linesOf(file),
    text: () => readFile(file, 'utf8'),
  };
}

async function linesOf(file: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
