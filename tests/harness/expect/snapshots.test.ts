import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isEqual } from '../../../src/harness/expect/equal.js';
import { linesJoined, linesSplit } from '../../../src/harness/expect/snapshot-lines.js';
import { openSnapshots, type SnapshotOptions } from '../../../src/harness/expect/snapshots.js';
import type { Exchange } from '../../../src/testedserver.js';
import type { JsonObject, JsonValue } from '../../../src/toolbox.js';
import { check, failed, messages, result, rpcError, text, unanswered } from './exchanges.js';

let folder: string;
let suite: string;
let kept: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
  suite = join(folder, 'suite.yaml');
  kept = join(folder, '__snapshots__', 'suite.yaml.snap.json');
});

afterEach(() => rm(folder, { recursive: true }));

/** One run with one case. */
async function run(exchange: Exchange, snapshot: unknown = true, options: Partial<SnapshotOptions> = {}) {
  const snapshots = await openSnapshots({ file: suite, ...options });
  const said = await messages({ snapshot }, exchange, { snapshots: snapshots.of('a case'), action: 'request' });
  return { said, saved: await snapshots.save({ complete: true }) };
}

describe('a snapshot', () => {
  it('is written with the first run, and held to by the next', async () => {
    expect(await run(text('one'))).toEqual({ said: [], saved: { written: 1, updated: 0, unused: [] } });
    expect(await run(text('one'))).toEqual({ said: [], saved: { written: 0, updated: 0, unused: [] } });
    expect((await run(text('two'))).said).toEqual([
      'The answer is not the snapshot: $.content[0].text is "two"; kept was "one". If the new one is right, run with --update-snapshots.',
    ]);
  });

  it('is kept without secrets, whatever they are in another place', async () => {
    const hiding = (secret: string) => ({ redact: (each: string) => each.replaceAll(secret, '[redacted]') });
    const answer = (secret: string) => result({ content: [{ type: 'text', text: `is ${secret}` }], [secret]: 1 });
    expect((await run(answer('hunter2'), true, hiding('hunter2'))).said).toEqual([]);
    expect(await readFile(kept, 'utf8')).not.toContain('hunter2');
    expect((await run(answer('swordfish'), true, hiding('swordfish'))).said).toEqual([]);
    expect((await run(answer('hunter2'), true, hiding('swordfish'))).said).toHaveLength(1);
  });

  it('is told with both answers', async () => {
    await run(result({ b: 1, a: 2 }));
    const snapshots = await openSnapshots({ file: suite });
    const others = { snapshots: snapshots.of('a case'), action: 'request' } as const;
    expect(await check({ snapshot: true }, result({ a: 2 }), others)).toMatchObject([
      { kind: 'snapshot', path: '$.b', expected: { a: 2, b: 1 }, actual: { a: 2 } },
    ]);
  });

  it('is replaced by an update, once in a run', async () => {
    await run(text('one'));
    const snapshots = await openSnapshots({ file: suite, update: true });
    const others = { snapshots: snapshots.of('a case') };
    expect(await check({ snapshot: true }, text('two'), others)).toEqual([]);
    expect(await check({ snapshot: true }, text('three'), others)).toHaveLength(1);
    expect(await snapshots.save()).toEqual({ written: 0, updated: 1, unused: [] });
    expect((await run(text('two'))).said).toEqual([]);
  });

  it('that is new is refused where new ones are', async () => {
    const { said, saved } = await run(text('one'), 'greeting', { refuseNew: true });
    expect(said).toEqual(['There is no snapshot "greeting", and new ones are not written in this run.']);
    expect(saved.written).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not made of an answer that fails otherwise', async () => {
    const snapshots = await openSnapshots({ file: suite });
    const others = { snapshots: snapshots.of('a case') };
    expect(await check({ snapshot: true, text: 'two' }, text('one'), others)).toHaveLength(1);
    expect(await check({ snapshot: true }, failed('no'), others)).toHaveLength(1);
    expect((await snapshots.save()).written).toBe(0);
  });

  it('is kept of expected errors, too', async () => {
    const snapshots = await openSnapshots({ file: suite });
    const others = { snapshots: snapshots.of('a case') };
    expect(await check({ snapshot: true, error: true }, rpcError(-1, 'no'), others)).toEqual([]);
    await snapshots.save();
    expect(await readFile(kept, 'utf8')).toContain('"message": "no"');
  });

  it('leaves out what is ignored, on both sides', async () => {
    const at = (time: number, id: string) => result({ content: [], at: time, items: [{ id }, { id }] });
    const ignore = ['$.at', '$.items[*].id'];
    await run(at(1, 'x'));
    expect((await run(at(2, 'y'), { ignore })).said).toEqual([]);
    await run(at(3, 'z'), { ignore }, { update: true });
    await rm(kept);
    await run(at(1, 'x'), { ignore });
    expect(await readFile(kept, 'utf8')).not.toContain('"x"');
    expect(await readFile(kept, 'utf8')).toContain('"<ignored>"');
    expect((await run(result({ content: [], at: 1, items: [] }), { ignore })).said).toHaveLength(1);
  });

  it('may ignore all of an answer, and parts of what is ignored', async () => {
    await run(result({ a: { b: 1 } }), { ignore: ['$.a', '$.a.b', '$..b'] });
    expect((await run(result({ a: 5 }), { ignore: ['$'] })).said).toEqual([]);
  });

  it('whose paths to ignore are none is a finding', async () => {
    expect((await run(text('x'), { ignore: ['a.b'] })).said).toEqual([
      'Under ignore, a.b is no JSONPath: a path begins with $.',
    ]);
  });

  it('that is not used is listed, and removed by an update', async () => {
    await run(text('one'), 'old');
    expect((await run(text('one'), 'new')).saved).toEqual({ written: 1, updated: 0, unused: ['a case: old'] });
    expect((await run(text('one'), 'new', { update: true })).saved.unused).toEqual(['a case: old']);
    expect(await readFile(kept, 'utf8')).not.toContain('old');
    const last = await openSnapshots({ file: suite, update: true });
    expect((await last.save({ complete: true })).unused).toEqual(['a case: new']);
    expect(await readdir(join(folder, '__snapshots__'))).toEqual([]);
  });

  it('is not unused where its case got no answer, or not all cases were run', async () => {
    await run(text('one'));
    expect((await run(unanswered, true, { update: true })).saved.unused).toEqual([]);
    expect((await run(failed('no'), true, { update: true })).saved.unused).toEqual([]);
    const snapshots = await openSnapshots({ file: suite, update: true });
    expect((await snapshots.save({ complete: false })).unused).toEqual([]);
    expect(await readFile(kept, 'utf8')).toContain('one');
  });

  it('is refused of an answer that is too large', async () => {
    expect((await run(text('x'.repeat(2_000_000)))).said.join()).toContain('one of at most 1048576 is kept');
  });

  it('is kept of cases only', async () => {
    expect(await messages({ snapshot: true }, text('x'))).toEqual([
      'Snapshots are kept of the answers of cases, and not of steps and calls under load.',
    ]);
  });
});

describe('the file of snapshots', () => {
  it('has sorted cases and keys, and the lines of a text apart', async () => {
    const snapshots = await openSnapshots({ file: suite });
    for (const id of ['b', 'a']) {
      const exchange = result({ z: 'one\ntwo', content: [], y: '\u202ehidden' });
      await check({ snapshot: true }, exchange, { snapshots: snapshots.of(id) });
    }
    await snapshots.save();
    const answer = { content: [], y: '\u202ehidden', z: { $lines: ['one', 'two'] } };
    const text = await readFile(kept, 'utf8');
    expect(text).toBe(
      `${JSON.stringify({ version: 1, snapshots: { a: { answer }, b: { answer } } }, null, 2)}\n`.replaceAll(
        '\u202e',
        '\\u202e',
      ),
    );
    expect(await readdir(join(folder, '__snapshots__'))).toEqual(['suite.yaml.snap.json']);
  });

  it('gives every answer back as it was', async () => {
    const answers: JsonObject[] = fc.sample(fc.dictionary(fc.string(), fc.jsonValue()), 50) as JsonObject[];
    answers.push(JSON.parse('{"__proto__": {"$lines": ["a"]}, "big": 1e400, "half": "\\ud800", "$lines": "a\\nb"}'));
    const ids = [...answers.keys()].map((index) => `case ${index}`).concat('__proto__');
    for (const round of ['first', 'second']) {
      const snapshots = await openSnapshots({ file: suite, refuseNew: round === 'second' });
      for (const [index, id] of ids.entries()) {
        const others = { snapshots: snapshots.of(id), action: 'request' } as const;
        expect(await check({ snapshot: true }, result(answers[index] ?? {}), others)).toEqual([]);
      }
      expect((await snapshots.save({ complete: true })).unused).toEqual([]);
    }
  });

  it('is not touched where nothing changed', async () => {
    await run(text('one'));
    await writeFile(kept, `${await readFile(kept, 'utf8')}  `);
    await run(text('one'));
    expect((await readFile(kept, 'utf8')).endsWith('  ')).toBe(true);
  });

  it.each([
    ['{', 'it is no JSON'],
    ['[]', 'it is no object'],
    ['{"version":7,"snapshots":{}}', 'its version is not 1'],
    ['{"version":1}', 'it has no object "snapshots"'],
    ['{"version":1,"snapshots":{"a":1}}', 'what it has for "a" is no object'],
  ])('%s is broken, and stays as it is', async (content, reason) => {
    await mkdir(join(folder, '__snapshots__'));
    await writeFile(kept, content);
    await expect(openSnapshots({ file: suite, update: true })).rejects.toMatchObject({
      code: 'INVALID_SUITE',
      message: expect.stringContaining(reason),
    });
    expect(await readFile(kept, 'utf8')).toBe(content);
  });

  it.runIf(process.platform !== 'win32')('a pipe in its place is told, and not waited for', async () => {
    await mkdir(dirname(kept), { recursive: true });
    execFileSync('mkfifo', [kept]);
    await expect(run(text('one'))).rejects.toThrow('it is no file');
  });

  it('that cannot be written is told', async () => {
    await writeFile(join(folder, '__snapshots__'), 'no folder');
    await expect(run(text('x'))).rejects.toMatchObject({ code: 'INVALID_SUITE' });
  });

  it('of a suite without a file has its name, in the folder that is given', async () => {
    const snapshots = await openSnapshots({ file: 'what: is "this"?', folder });
    await check({ snapshot: true }, text('x'), { snapshots: snapshots.of('a') });
    await snapshots.save();
    expect(await readdir(join(folder, '__snapshots__'))).toEqual(['what_ is _this_.snap.json']);
  });
});

describe('lines of a text', () => {
  it('come back as the text, whatever else looks like them', () => {
    const key = fc.oneof(fc.constantFrom('$lines', '$$lines', 'lines', '$'), fc.string());
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: fc.constantFrom('a', '\n', '$') }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 2 }),
      ),
    }));
    fc.assert(fc.property(value, (given) => isEqual(linesJoined(linesSplit(given)), given)));
  });
});
