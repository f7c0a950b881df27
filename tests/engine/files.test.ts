import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFiles, safeName } from '../../src/engine/files.js';
import { encodeFrame } from '../../src/engine/frames.js';
import type { RunOptions, RunResult } from '../../src/engine/work.js';
import type { JsonObject, JsonValue } from '../../src/toolbox.js';
import { describeLaunchers, describeWithEngine, failureOf, fixture, folderWith } from './harness.js';

const attaching = fixture('attaches_files.py');
const returning = fixture('returns_paths.py');
const outside = fileURLToPath(import.meta.url);

const shown = ({ files }: RunResult) => files.map(({ name, mimeType, data }) => [name, mimeType, data.toString()]);
const namesOf = ({ files }: RunResult) => files.map(({ name }) => name);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.each(['trusted', 'strict'] as const)('under the profile %s', (profile) => {
  describeWithEngine('an attached file', { profile, idleChildren: 2 }, (engine) => {
    const call = (name: string, args: JsonObject = {}, options?: RunOptions) => {
      const folder = profile === 'strict' ? '.' : folderWith({});
      return engine().call({ script: attaching, function: name, args: { folder, ...args } }, options);
    };
    const attach = (path: string) => engine().call({ script: attaching, function: 'attach_path', args: { path } });

    it('comes with the result, as it was when it was attached', async () => {
      const result = await call('attach_report');
      expect(result.value).toBe('sent');
      expect(result.files).toEqual([{ name: 'report.csv', mimeType: 'text/csv', data: Buffer.from('a,b\n1,2\n') }]);
    });

    it('may hold any bytes, or none', async () => {
      const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
      const args = { content: content.toString('base64'), name: 'data.bin' };
      expect((await call('attach_this', args)).files).toEqual([
        { name: 'data.bin', mimeType: 'application/octet-stream', data: content },
      ]);
      expect(shown(await call('attach_this', { content: '', name: 'empty.txt' }))).toEqual([
        ['empty.txt', 'text/plain', ''],
      ]);
    });

    it('may have any name, and a type of its own', async () => {
      const content = base64('x');
      expect(shown(await call('attach_this', { content, name: 'ünï 🐍 "q".JSON' }))).toEqual([
        ['ünï 🐍 "q".JSON', 'application/json', 'x'],
      ]);
      const named = { content, name: 'a', sent_as: 'charts/5.svg', mime_type: 'text/x-own; charset=utf-8' };
      expect(shown(await call('attach_this', named))).toEqual([['charts/5.svg', 'text/x-own; charset=utf-8', 'x']]);
    });

    it('never leads out of the folder that it may be saved to', async () => {
      const content = base64('x');
      const names = ['../../etc/passwd', '/etc/passwd', '..\\x\u0000y\n', '..', ''];
      const results = names.map((sent_as) => call('attach_this', { content, name: 'x', sent_as }));
      expect((await Promise.all(results)).flatMap(namesOf)).toEqual([
        'etc/passwd',
        'etc/passwd',
        'x_y_',
        'file',
        'file',
      ]);
    });

    it('is one of many', async () => {
      const { files } = await call('attach_many', { count: 500 });
      expect(files.map(({ name, data }) => [name, data.toString()])).toEqual(
        Array.from({ length: 500 }, (_, number) => [`${number}.txt`, `${number}`]),
      );
    });

    it('that is attached again comes once, and with other content under another name', async () => {
      expect(shown(await call('attach_same_name', { contents: ['1', '1', '2', '3'] }))).toEqual([
        ['x.txt', 'text/plain', '1'],
        ['x (2).txt', 'text/plain', '2'],
        ['x (3).txt', 'text/plain', '3'],
      ]);
    });

    it('of some megabytes arrives whole', async () => {
      const { files } = await call('attach_bytes', { sizes: [5_000_000, 1_000_001] });
      expect(files.map(({ data }) => data.length)).toEqual([5_000_000, 1_000_001]);
    });

    it('is RESULT_LIMIT where the files of the call are too large together, and the next call works', async () => {
      const options = { limits: { maxResultBytes: 100_000 } };
      expect(namesOf(await call('attach_bytes', { sizes: [40_000, 30_000] }, options))).toEqual(['0.bin', '1.bin']);
      const error = await failureOf(call('attach_bytes', { sizes: [40_000, 40_000] }, options));
      expect(error).toMatchObject({ code: 'RESULT_LIMIT', fault: 'limit', details: { limit: 100_000 } });
      expect(error.message).toBe("With '1.bin' the files of the call take more than 100000 bytes as base64");
      expect((await call('attach_report')).value).toBe('sent');
    });

    it('that is too large can be left out by the script', async () => {
      const result = await call('attach_as_far_as_it_goes', { size: 1000 }, { limits: { maxResultBytes: 1000 } });
      expect(result.value).toContain("With 'large.bin'");
      expect(namesOf(result)).toEqual(['small.bin']);
    });

    it('that is a folder is an error that says so', async () => {
      const error = await failureOf(attach('.'));
      expect(error).toMatchObject({ code: 'EXCEPTION', details: { type: 'IsADirectoryError' } });
      expect(error.message).toContain("attach takes a file, and this is a folder: '.'");
      expect(error.details.text).toBe('attach(path)');
    });

    it('that does not exist is an error that names it', async () => {
      const error = await failureOf(attach('none.csv'));
      expect(error).toMatchObject({ code: 'EXCEPTION', details: { type: 'FileNotFoundError' } });
      expect(error.message).toContain("'none.csv'");
    });

    it('that is a pipe or a device is an error, and is not waited for', async () => {
      for (const error of [await failureOf(call('attach_pipe')), await failureOf(attach('/dev/null'))]) {
        expect(error.code).toBe('EXCEPTION');
        expect(error.message).toContain('attach takes a file, and this is a pipe or a device');
      }
    });

    it('does not come with an error', async () => {
      const error = await failureOf(call('attach_then_fail'));
      expect(error).toMatchObject({ code: 'EXCEPTION', message: 'after all' });
      expect(error.details).not.toHaveProperty('files');
    });

    it('that comes after the answer is not part of it, and reaches no other call', async () => {
      const late = await call('attach_at_exit');
      expect([late.value, late.files]).toEqual(['answered', []]);
      expect((await call('attach_many', { count: 0 })).files).toEqual([]);
    });

    it('can be attached by a whole script, which has attach without importing it', async () => {
      const source = 'open("x.md", "w").write("# x")\nattach("x.md")\nresult("done")\nimport os; os.remove("x.md")';
      const cwd = profile === 'trusted' ? { cwd: folderWith({}) } : {};
      const result = await engine().run({ source, ...cwd });
      expect([result.value, shown(result)]).toEqual(['done', [['x.md', 'text/markdown', '# x']]]);
    });

    it('is a file of its own call, in a session too', async () => {
      const options: RunOptions = { isolation: 'session', session: 'a', limits: { maxResultBytes: 100_000 } };
      const first = await call('attach_bytes', { sizes: [70_000] }, options);
      const second = await call('attach_bytes', { sizes: [70_000] }, options);
      const third = await call('attach_many', { count: 0 }, options);
      expect([first, second, third].map(namesOf)).toEqual([['0.bin'], ['0.bin'], []]);
    });

    if (profile === 'trusted') {
      it('is refused in a process that the script forked', async () => {
        const { value, files } = await call('attach_in_a_fork');
        expect(value).toBe('attach works in the process of the call, and not in one that the script started');
        expect(files).toEqual([]);
      });
    } else {
      it('is read with the rights of the script and no others', async () => {
        expect((await failureOf(call('attach_unreadable'))).message).toContain('Permission denied');
        expect((await failureOf(attach(outside))).code).toBe('PERMISSION_DENIED');
        const error = await failureOf(call('attach_link', { target: outside }));
        expect(error.details.type).toMatch(/^(PermissionError|FileNotFoundError)$/);
      });
    }
  });
});

describeWithEngine('a path that a strict function returns', { profile: 'strict', idleChildren: 2 }, (engine) => {
  const call = (name: string, args: JsonObject = {}, options?: RunOptions) =>
    engine().call({ script: returning, function: name, args }, options);

  it.each<[string, JsonValue, readonly string[]]>([
    ['alone', 'report.csv', ['report.csv']],
    ['in_containers', { list: ['1.txt', 7], tuple: ['2.txt'], file: '3.txt' }, ['1.txt', '2.txt', '3.txt']],
    ['in_a_record', [{ title: 'May', file: 'may.txt' }], ['may.txt']],
    ['twice', ['report.csv', 'report.csv'], ['report.csv']],
    ['attached_before', 'report.csv', ['report.csv']],
    ['in_a_folder', 'out/a b/ö.txt', ['out/a b/ö.txt']],
    ['by_its_full_path', 'report.csv', ['report.csv']],
    ['after_moving', 'inner/x.txt', ['inner/x.txt']],
    ['awaited', 'report.csv', ['report.csv']],
    ['yielded', ['frame.txt', 'frame.txt'], ['frame.txt', 'frame (2).txt']],
  ])('%s takes its file along', async (name, value, files) => {
    const result = await call(name);
    expect([result.value, namesOf(result)]).toEqual([value, files]);
  });

  it('has the content and the type of its file', async () => {
    expect(shown(await call('alone'))).toEqual([['report.csv', 'text/csv', 'a,b\n']]);
    expect(shown(await call('yielded')).map(([, , text]) => text)).toEqual(['0', '1']);
    const temporary = await call('as_temporary_file');
    expect(temporary.value).toMatch(/^chart-\w+\.svg$/);
    expect(shown(temporary)).toEqual([[temporary.value, 'image/svg+xml', '<svg/>']]);
  });

  it('stays text where it is no file of the scratch folder', async () => {
    const { value, files } = await call('of_other_things');
    expect(value).toEqual([returning, 'folder', 'missing', 'link', 'report.csv', 'report.csv', '\0']);
    expect(files).toEqual([]);
  });

  it('is RESULT_LIMIT where its file is too large', async () => {
    const error = await failureOf(call('too_large', { size: 1000 }, { limits: { maxResultBytes: 1000 } }));
    expect(error).toMatchObject({ code: 'RESULT_LIMIT', details: { limit: 1000 } });
    expect(error.message).toContain("With 'large.bin'");
  });

  it('is BAD_RESULT where its file cannot be read, or the value cannot be said', async () => {
    const error = await failureOf(call('unreadable'));
    expect([error.code, error.message]).toEqual([
      'BAD_RESULT',
      "Result: the file 'report.csv' cannot be sent: Permission denied",
    ]);
    expect((await failureOf(call('bad_value'))).code).toBe('BAD_RESULT');
  });

  it.each([
    ['result(Path("x.txt"))', 'x.txt'],
    ['result = {"file": Path("x.txt")}', { file: 'x.txt' }],
  ])('takes its file along from a whole script by %s', async (line, value) => {
    const result = await engine().run({ source: `from pathlib import Path\nPath("x.txt").write_text("x")\n${line}\n` });
    expect([result.value, shown(result)]).toEqual([value, [['x.txt', 'text/plain', 'x']]]);
  });

  it('is gone with the scratch folder, so that the next call has none of it', async () => {
    await call('alone');
    const { value } = await engine().run({ source: 'import os\nresult([n for n in os.listdir() if "report" in n])' });
    expect(value).toEqual([]);
  });
});

describeLaunchers('a path', (makeEngine) => {
  const source =
    'from pathlib import Path\ndef write():\n    Path("x.txt").write_text("x")\n    return Path("x.txt")\n';

  it('that a trusted function returns is text, as ever', async () => {
    const folder = folderWith({ 'writes.py': source.replaceAll('"x.txt"', '__file__ + ".txt"') });
    const { value, files } = await makeEngine().call({ script: join(folder, 'writes.py'), function: 'write' });
    expect([value, files]).toEqual([join(folder, 'writes.py.txt'), []]);
  });

  it('that a strict function returns takes its file along without namespaces too', async () => {
    const folder = folderWith({ 'writes.py': source });
    const engine = makeEngine({ profile: 'strict', namespaces: 'off' });
    const result = await engine.call({ script: join(folder, 'writes.py'), function: 'write' });
    expect([result.value, shown(result)]).toEqual(['x.txt', [['x.txt', 'text/plain', 'x']]]);
  });
});

describeWithEngine('a message about a file', { idleChildren: 2 }, (engine) => {
  const forge = (payload: JsonValue | Buffer, limits?: RunOptions['limits']) =>
    engine().call(
      {
        script: fixture('writes_to_the_channel.py'),
        function: 'write',
        args: { data: encodeFrame('A', payload).toString('base64'), then_hang: false },
      },
      { limits },
    );
  const fine = { name: 'x.txt', mimeType: 'text/plain', data: 'eA==' };

  it('that the script writes itself says no more than attach could', async () => {
    expect(shown(await forge(fine))).toEqual([['x.txt', 'text/plain', 'x']]);
    const [long, odd] = [
      await forge({ ...fine, name: `${'é'.repeat(5000)}.csv` }),
      await forge({ ...fine, name: '/' }),
    ];
    expect(Buffer.byteLength(namesOf(long)[0] ?? '')).toBeLessThanOrEqual(255);
    expect(namesOf(long)[0]).toMatch(/^é+\.csv$/);
    expect(namesOf(odd)).toEqual(['file']);
  });

  it.each<[string, JsonValue | Buffer]>([
    ['is no JSON', Buffer.from('{')],
    ['is no object', 'x'],
    ['has no name', { mimeType: 'text/plain', data: '' }],
    ['has no data', { name: 'x', mimeType: 'text/plain' }],
    ['has a name that is no text', { ...fine, name: ['x'] }],
    ['has data that are no text', { ...fine, data: [1] }],
    ['has data that are no base64', { ...fine, data: 'e A==' }],
    ['has data that end too early', { ...fine, data: 'eA=' }],
    ['has data that are nothing but padding', { ...fine, data: '====' }],
    ['has a type that is none', { ...fine, mimeType: 'text' }],
    ['has a type that moves the cursor', { ...fine, mimeType: 'text/plain;\u001b[2J' }],
    ['has a type without end', { ...fine, mimeType: `text/${'x'.repeat(300)}` }],
  ])('that %s ends the call as PROCESS_FAILED', async (_, payload) => {
    expect((await failureOf(forge(payload))).code).toBe('PROCESS_FAILED');
  });

  it('that is larger than the limit ends the call as RESULT_LIMIT', async () => {
    const error = await failureOf(forge({ ...fine, data: 'eHh4'.repeat(1000) }, { maxResultBytes: 1000 }));
    expect(error).toMatchObject({ code: 'RESULT_LIMIT', details: { limit: 1000 } });
  });
});

describe('the name of a file', () => {
  it.each([
    ['report.csv', 'report.csv'],
    ['out/2024/report.csv', 'out/2024/report.csv'],
    ['ö 🐍.txt', 'ö 🐍.txt'],
    ['/etc/passwd', 'etc/passwd'],
    ['../../x', 'x'],
    ['a/../../b', 'a/b'],
    ['a\\..\\b.txt', 'a/b.txt'],
    ['C:\\x.txt', 'C:/x.txt'],
    ['./x/', 'x'],
    ['a\0b\u001b[2J\u202egpj.exe', 'a_b_[2J_gpj.exe'],
    ['half \ud800', 'half _'],
    ['', 'file'],
    ['..', 'file'],
  ])('%j becomes %j', (said, name) => {
    expect(safeName(said)).toBe(name);
  });

  it('is short enough for any file system, and keeps its end', () => {
    expect(safeName(`${'x'.repeat(300)}.csv`)).toBe(`${'x'.repeat(251)}.csv`);
    expect(safeName('x'.repeat(255))).toHaveLength(255);
    expect(safeName(`${'a/'.repeat(5000)}x.csv`).length).toBeLessThanOrEqual(1024);
  });

  it('is not used twice, and many of one name are numbered in no time', () => {
    const files = createFiles(1_000_000);
    const add = (name: string) => files.add({ name, mimeType: 'text/plain', data: Buffer.alloc(0) }, 1);
    for (const name of ['a.x', 'a (2).x', 'a.x', 'a.x', 'b/.env', 'b/.env', 'a (2).x']) add(name);
    expect(files.list.map(({ name }) => name)).toEqual([
      'a.x',
      'a (2).x',
      'a (3).x',
      'a (4).x',
      'b/.env',
      'b/.env (2)',
      'a (2) (2).x',
    ]);
    for (let count = 0; count < 100_000; count++) add('same');
    expect(new Set(files.list.map(({ name }) => name)).size).toBe(files.list.length);
  });
});
