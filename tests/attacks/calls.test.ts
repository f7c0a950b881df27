import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import type { Engine } from '../../src/engine/work.js';
import type { JsonObject } from '../../src/toolbox.js';
import { collectEvents, describeWithEngine, folderWith } from '../engine/harness.js';
import { outcomeOf } from '../engine/processes.js';
import { fixtureText, strict } from './play.js';
import { describeStrict, scriptOf } from './strict.js';

interface Outcome {
  readonly succeeded: boolean;
  readonly ways: Readonly<Record<string, { readonly succeeded: boolean; readonly detail: string }>>;
}

const secretOfTest = () => randomUUID().replaceAll('-', '');
/** More than there are scratch folders, so that each is met again; an interpreter that serves one call meets nothing again. */
const callsAfter = { fork: 6, warm: 2 } as const;
const one = { concurrency: 1 } as const;

async function ask(engine: Engine, script: string, name: string, args: JsonObject = {}): Promise<Outcome> {
  return (await engine.call({ script, function: name, args })).value as unknown as Outcome;
}

function waysThat({ ways }: Outcome, succeeded: boolean): string[] {
  return Object.entries(ways).flatMap(([name, way]) => (way.succeeded === succeeded ? [`${name}: ${way.detail}`] : []));
}

/** A call that keeps a secret until the test is done with it. */
async function withKeeper(
  engine: Engine,
  here: string,
  body: (kept: { script: string; name: string; pid: number; path: string; secret: string }) => Promise<void>,
): Promise<unknown> {
  const script = scriptOf('keeps_to_itself');
  const [secret, name] = [secretOfTest(), `kept-${randomUUID()}`];
  const { onEvent, next } = collectEvents();
  const over = new AbortController();
  const keeping = outcomeOf(
    engine.call({ script, function: 'keep', args: { name, secret, here } }, { onEvent, signal: over.signal }),
  );
  const event = await next(({ type }) => type === 'output');
  const [pid = '', path = ''] = event.type === 'output' ? event.line.split(' ') : [];
  try {
    await body({ script, name, pid: Number(pid), path, secret });
  } finally {
    over.abort();
  }
  return keeping;
}

describeWithEngine('a call that nothing holds back', { profile: 'trusted' }, (engine) => {
  it('finds what another call of its script keeps', async () => {
    await withKeeper(engine(), folderWith({}), async ({ script, secret, ...told }) => {
      const outcome = await ask(engine(), script, 'search', told);
      expect(JSON.stringify(outcome)).toContain(secret);
    });
  });

  it('finds what the call before left', async () => {
    const [script, secret] = [scriptOf('leaves_for_the_next_call'), secretOfTest()];
    const told = { name: `left-${randomUUID()}`, key: randomBytes(4).readUInt32BE() >>> 2 };
    const here = folderWith({});
    try {
      await ask(engine(), script, 'leave', { ...told, here, secret });
      expect(JSON.stringify(await ask(engine(), script, 'find', { ...told, here }))).toContain(secret);
    } finally {
      await ask(engine(), script, 'remove', told);
    }
  });
});

describeStrict('a call in the sandbox', {}, (engine) => {
  it('cannot find what another call of its script keeps', async () => {
    await withKeeper(engine(), '', async ({ script, secret, ...told }) => {
      const outcome = await ask(engine(), script, 'search', told);
      expect(JSON.stringify(outcome)).not.toContain(secret);
      expect(waysThat(outcome, true)).toEqual([]);
    });
  });

  it('cannot end another call of its script', async () => {
    const ended = await withKeeper(engine(), '', async ({ script, pid }) => {
      expect(waysThat(await ask(engine(), script, 'end', { pid }), true)).toEqual([]);
    });
    expect(ended).toBe('CANCELLED');
  });
});

describeStrict('a call after another in the sandbox', one, (engine, { launcher }) => {
  it('finds nothing that was left for it', async () => {
    const [script, secret] = [scriptOf('leaves_for_the_next_call'), secretOfTest()];
    const told = { name: `left-${randomUUID()}`, key: randomBytes(4).readUInt32BE() >>> 2 };
    const left = await ask(engine(), script, 'leave', { ...told, secret });
    expect(waysThat(left, true)).not.toEqual([]);
    for (let call = 0; call < callsAfter[launcher]; call++) {
      expect(waysThat(await ask(engine(), script, 'find', told), true)).toEqual([]);
    }
  });
});

const spoilers = [
  'set_nonblocking',
  'shut_down',
  'take_modes_away',
  'take_modes_away_by_path',
  'give_pipes_away',
  'shrink_pipes',
  'ask_for_signals',
  'lock_files',
  'drain_its_own_output',
  'fill_its_requests',
  'close_its_folder',
  'make_its_folder_read_only',
  'leave_closed_folders',
  'leave_read_only_folders',
  'leave_a_deep_tree',
  'leave_odd_names',
  'take_the_place_of_data',
  'leave_its_folder',
  'change_its_mask',
];

describeStrict('calls after one that tries to', one, (engine, { launcher }) => {
  const script = scriptOf('spoils_its_surroundings');
  for (const way of spoilers) {
    it(`${way.replaceAll('_', ' ')} are as if it had not been`, async () => {
      const spoilt = await outcomeOf(engine().call({ script, function: 'spoil', args: { way } }));
      expect(['spoilt', 'PROCESS_FAILED', 'PERMISSION_DENIED', 'DISK_LIMIT']).toContain(spoilt);
      for (let call = 0; call < callsAfter[launcher]; call++) {
        const text = `word ${call}`;
        const { value, stdout, stderr } = await engine().call({ script, function: 'word', args: { text } });
        expect({ value, stdout, stderr }).toEqual({ value: text, stdout: `${text}\n`, stderr: '' });
      }
    });
  }
});

describeStrict('a script that is imported in the sandbox', one, (engine, { launcher }) => {
  it.each(['shares_at_import', 'shares_hidden_memory_at_import'])(
    'cannot tell the next call something by what its import made (%s)',
    async (fixture) => {
      const [script, secret] = [scriptOf(fixture), secretOfTest()];
      await engine().call({ script, function: 'write', args: { secret } });
      for (let call = 0; call < callsAfter[launcher]; call++) {
        const { value } = await engine().call({ script, function: 'read' });
        expect(JSON.stringify(value)).not.toContain(secret);
      }
    },
  );

  it('has its own position in a file that the import opened', async () => {
    const script = scriptOf('opens_a_file_at_import');
    await engine().call({ script, function: 'where' });
    const first = await engine().call({ script, function: 'read' });
    for (let call = 0; call < 3; call++) {
      expect((await engine().call({ script, function: 'read' })).value).toEqual(first.value);
    }
  });

  it('that leaves a thread spoils no call but its own', async () => {
    const script = scriptOf('leaves_a_thread_at_import');
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) =>
        outcomeOf(engine().call({ script, function: 'word', args: { text } }, { limits: { timeoutMs: 5000 } })),
      ),
    );
    for (const [index, outcome] of outcomes.entries()) {
      expect([['a', 'b', 'c', 'd'][index], 'PROCESS_FAILED', 'TIMEOUT', 'SPAWN_FAILED']).toContain(outcome);
    }
    const other = scriptOf('spoils_its_surroundings');
    expect((await engine().call({ script: other, function: 'word', args: { text: 'right' } })).value).toBe('right');
  });
});

describe('a hostile script in the sandbox', () => {
  it('tells the calls of one tenant what it likes, and those of another nothing', async () => {
    const engine = createEngine({ ...strict, ...one, idleChildren: 1 });
    const script = scriptOf('hides_shared_memory_at_import');
    const hidden = join(dirname(script), 'shares_hidden_memory_at_import.py');
    writeFileSync(hidden, fixtureText('shares_hidden_memory_at_import.py'));
    const secret = secretOfTest();
    const call = async (fn: string, args: JsonObject, tenant: string) =>
      (await engine.call({ script, function: fn, args }, { tenant })).value;
    await call('write', { secret }, 'one');
    expect(await call('read', {}, 'one')).toEqual([secret]);
    expect(await call('read', {}, 'another')).toEqual(['']);
    await engine.close();
  });
});

describe.each([
  { name: 'no process is allowed', settings: {} },
  { name: 'processes are allowed', settings: { allowRun: true } },
])('a process that is started at import, where $name', ({ settings }) => {
  const notes = folderWith({ 'heard.txt': '' });
  describeStrict('in the sandbox', { ...settings, allowWrite: [notes], concurrency: 2 }, (engine, { launcher }) => {
    it('hears nothing of other calls', async () => {
      const script = scriptOf('listens_on_lanes');
      const heard = join(notes, 'heard.txt');
      writeFileSync(heard, '');
      writeFileSync(join(dirname(script), 'place.json'), JSON.stringify(heard));
      for (let call = 0; call < callsAfter[launcher]; call++) {
        const secret = secretOfTest();
        const { value } = await engine().call({ script, function: 'word', args: { text: secret } });
        const [text, imported] = value as [string, string];
        expect(text).toBe(secret);
        const listeners = readFileSync(heard, 'utf8')
          .split('\n')
          .filter((line) => line.includes(secret) && !line.startsWith(imported));
        expect(listeners).toEqual([]);
      }
    });
  });
});
