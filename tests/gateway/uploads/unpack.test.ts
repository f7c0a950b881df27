import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ExecutionError } from '../../../src/errors.js';
import { unpackArchive } from '../../../src/gateway/uploads/unpack.js';
import { type RawEntry, rawArchive, zip64End } from './archives.js';
import { filesIn, temporaryFolder } from './folders.js';

const limits = { maxUnpackedBytes: 8 * 1024 * 1024, maxUnpackedFiles: 100 };
const script: RawEntry = { name: 'calc.py', data: 'def add(): ...\n' };
const text = (value: string) => new TextEncoder().encode(value);

describe('an archive', () => {
  it('gives every file as it was packed, in folders of its own', async () => {
    const folder = await temporaryFolder();
    const archive = zipSync({ 'calc.py': text('def add(): ...'), 'data/more/a.bin': new Uint8Array([0, 1, 255]) });
    expect(await unpackArchive(Buffer.from(archive), folder, limits)).toEqual({ files: 2, bytes: 17 });
    expect(await filesIn(folder)).toEqual({ 'calc.py': 'def add(): ...', 'data/more/a.bin': '\0\x01ÿ' });
  });

  it('that is one folder gives what is in the folder', async () => {
    const folder = await temporaryFolder();
    const archive = rawArchive([
      { name: 'project/' },
      { name: 'project/calc.py', data: 'a' },
      { name: 'project/sub/b.py', data: 'b' },
      { name: '__MACOSX/project/._calc.py', data: 'x' },
      { name: 'project/__pycache__/calc.cpython-312.pyc', data: 'x' },
      { name: 'project/old.pyc', data: 'x' },
    ]);
    await unpackArchive(archive, folder, limits);
    expect(await filesIn(folder)).toEqual({ 'calc.py': 'a', 'sub/b.py': 'b' });
  });

  it('inside an archive stays packed', async () => {
    const folder = await temporaryFolder();
    const inner = rawArchive([script]);
    await unpackArchive(rawArchive([script, { name: 'inner.zip', data: inner }]), folder, limits);
    expect(Object.keys(await filesIn(folder)).sort()).toEqual(['calc.py', 'inner.zip']);
  });

  it('has names in UTF-8 whether it says so or not, and composed', async () => {
    const folder = await temporaryFolder();
    await unpackArchive(rawArchive([script, { name: 'cafe\u0301.txt', data: 'x', flags: 0 }]), folder, limits);
    expect(Object.keys(await filesIn(folder))).toContain('caf\u00e9.txt');
  });

  const megabytes = Buffer.alloc(4 * 1024 * 1024);
  const deep = `${'d/'.repeat(40)}x.py`;
  it.each<[string, Buffer, RegExp]>([
    [
      'a name that leads out',
      rawArchive([script, { name: '../evil.py' }]),
      /"\.\.\/evil\.py" leads out of the archive/,
    ],
    ['a name that leads out from within', rawArchive([script, { name: 'a/../../evil.py' }]), /leads out/],
    ['an absolute name', rawArchive([script, { name: '/etc/evil.py' }]), /is an absolute path/],
    ['a drive letter', rawArchive([script, { name: 'C:evil.py' }]), /is an absolute path/],
    ['a backslash', rawArchive([script, { name: '..\\evil.py' }]), /has a backslash/],
    ['a NUL in a name', rawArchive([script, { name: 'a\0.py' }]), /characters that no file name should have/],
    ['a newline in a name', rawArchive([script, { name: 'a\n.py' }]), /characters that no file name should have/],
    ['an empty part', rawArchive([script, { name: 'a//b.py' }]), /has an empty part/],
    ['no name', rawArchive([script, { name: '' }]), /is no name/],
    ['a name that is too long', rawArchive([script, { name: `${'x'.repeat(300)}.py` }]), /longer than 255 bytes/],
    ['a name that is too deep', rawArchive([script, { name: deep }]), /deeper than 32 folders/],
    [
      'a symbolic link',
      rawArchive([script, { name: 'link', data: '/etc/passwd', mode: 0o120777 }]),
      /is a link, a device/,
    ],
    ['a device', rawArchive([script, { name: 'dev', mode: 0o020666 }]), /is a link, a device/],
    ['a pipe', rawArchive([script, { name: 'pipe', mode: 0o010666 }]), /is a link, a device/],
    ['a folder that is a link', rawArchive([script, { name: 'dir/', mode: 0o120777 }]), /is a link, a device/],
    ['the same name twice', rawArchive([script, script]), /is in the archive twice/],
    ['the same name in another form', rawArchive([{ name: 'e\u0301.py' }, { name: '\u00e9.py' }]), /twice/],
    [
      'names that differ in case',
      rawArchive([script, { name: 'CALC.py' }]),
      /the same name on systems that ignore case/,
    ],
    ['folders that differ in case', rawArchive([{ name: 'A/x.py' }, { name: 'a/y.py' }]), /ignore case/],
    ['a file that is a folder too', rawArchive([{ name: 'a' }, { name: 'a/x.py' }]), /twice/],
    ['a password', rawArchive([{ ...script, flags: 1 }]), /is encrypted/],
    ['strong encryption', rawArchive([{ ...script, flags: 0x41 }]), /encryption/],
    ['another compression', rawArchive([{ ...script, method: 14 }]), /compressed in a way that is not known here/],
    ['a wrong checksum', rawArchive([{ ...script, crc: 1 }]), /is damaged/],
    ['a size that is too small', rawArchive([{ ...script, deflated: true, claimedSize: 3 }]), /is damaged/],
    ['a size that is too large', rawArchive([{ ...script, deflated: true, claimedSize: 300 }]), /is damaged/],
    [
      'data beyond its end',
      rawArchive([{ ...script, claimedCompressed: 9999, claimedSize: 9999 }]),
      /overflows file bounds/,
    ],
    ['a header elsewhere', rawArchive([{ ...script, headerOffset: 0x7fffffff }]), /unexpected EOF/],
    ['data that is no deflate', rawArchive([{ ...script, method: 8 }]), /cannot be taken/],
    ['more entries than there are', rawArchive([script], { count: 7 }), /cannot be taken/],
    ['no end', rawArchive([script]).subarray(0, -10), /truncated/],
    ['nothing', rawArchive([]), /there is no \.py file/],
    ['no script', rawArchive([{ name: 'readme.txt' }]), /there is no \.py file/],
    ['a far end of zip64', rawArchive([script], { zip64: zip64End(2n ** 63n, 0n, 1n) }), /cannot be taken/],
    [
      'a far directory of zip64',
      rawArchive([script], { zip64: zip64End(61n + 47n, 2n ** 60n, 9n) }),
      /cannot be taken/,
    ],
    ['too many files', rawArchive(many(101)), /more than 100 files/],
    [
      'too many folders',
      rawArchive([script, ...many(99).map(({ name }) => ({ name: `${name}.d/e/` }))]),
      /100 folders/,
    ],
    [
      'too many empty folders',
      rawArchive([script, ...many(250).map(({ name }) => ({ name: `${name}/` }))]),
      /100 folders/,
    ],
    [
      'more than it may unpack to',
      rawArchive([script, { name: 'b', data: Buffer.alloc(limits.maxUnpackedBytes) }]),
      /maxUnpackedBytes/,
    ],
    ['a bomb', rawArchive([script, { name: 'b', data: megabytes, deflated: true }]), /200 times its size/],
    [
      'a bomb that lies of its size',
      rawArchive([script, { name: 'b', data: megabytes, deflated: true, claimedSize: 10 }]),
      /200 times its size/,
    ],
  ])('with %s is refused', async (_what, archive, message) => {
    const folder = join(await temporaryFolder(), 'inside');
    await mkdir(folder);
    const refused = await unpackArchive(archive, folder, limits).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ExecutionError);
    expect(String(refused)).toMatch(message);
    expect(await readdir(join(folder, '..'))).toEqual(['inside']);
  });

  it('with any tree of files gives that tree', async () => {
    const part = fc.stringMatching(/^[a-zé_][a-z0-9 ._-]{0,8}$/).filter((name) => !/\.py[co]$/.test(name));
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const tree = fc.dictionary(path, fc.uint8Array({ maxLength: 300 }), { maxKeys: 12 });
    await fc.assert(
      fc.asyncProperty(tree.filter(hasNoFileInPlaceOfFolder), async (files) => {
        const folder = await temporaryFolder();
        const all = { ...files, 'zz-top.py': text('x = 1') };
        await unpackArchive(Buffer.from(zipSync(all)), folder, limits);
        const expected = Object.entries(all).map(([name, data]) => [
          name.normalize('NFC'),
          Buffer.from(data).toString('latin1'),
        ]);
        expect(await filesIn(folder)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('with any damage is refused or gives files below its folder, and nothing else', async () => {
    const whole = Buffer.from(zipSync({ 'calc.py': text('def add(): ...'.repeat(40)), 'a/b.txt': text('b') }));
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(whole.length), async (changes, cut) => {
        const folder = join(await temporaryFolder(), 'inside');
        await mkdir(folder);
        const archive = Buffer.from(whole);
        for (const [at, value] of changes) archive[at] = value;
        const outcome = await unpackArchive(archive.subarray(0, cut % 3 ? undefined : cut), folder, limits).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ExecutionError);
        expect(await readdir(join(folder, '..'))).toEqual(['inside']);
      }),
      { numRuns: 300 },
    );
  });
});

function many(count: number): RawEntry[] {
  return Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
}

function hasNoFileInPlaceOfFolder(files: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(files).map((name) => name.toLowerCase());
  const folders = names.flatMap((name) => name.split('/').map((_, index, parts) => parts.slice(0, index).join('/')));
  return new Set(names).size === names.length && names.every((name) => !folders.includes(name));
}
