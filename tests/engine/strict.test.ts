import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { parseSettings, type SettingsInput } from '../../src/config.js';
import { environmentOf } from '../../src/engine/environment.js';
import { createWarmLauncher } from '../../src/engine/launch/warm.js';
import { PythonEngine } from '../../src/engine/python-engine.js';
import { profileOf, sandboxOf } from '../../src/engine/sandbox.js';
import type { Engine } from '../../src/engine/work.js';
import { findPython } from '../../src/python/interpreter.js';
import type { JsonObject } from '../../src/toolbox.js';
import { describeLaunchers, failureOf, fixture, folderWith } from './harness.js';

afterEach(() => vi.unstubAllEnvs());

const strict: SettingsInput = { profile: 'strict', allowEnv: ['MCP_EXECUTION_TEST_MARK'] };
const withoutNamespaces: SettingsInput = { ...strict, namespaces: 'off' };
const trying = (name: string, args: JsonObject = {}) => ({
  script: fixture('strict/tries_things.py'),
  function: name,
  args,
});
const scratching = (name: string, args: JsonObject = {}) => ({
  script: fixture('strict/uses_its_scratch.py'),
  function: name,
  args,
});

describeLaunchers('the figures of a strict call', (makeEngine) => {
  it('say what was enforced', async () => {
    const { figures } = await makeEngine(strict).call(scratching('look'));
    expect(figures.profile).toBe('strict');
    expect(figures.enforced).toMatchObject({
      files: 'enforced',
      network: 'enforced',
      memory: 'enforced',
      cpu: 'enforced',
    });
  });

  it('say that less was, where less can be', async () => {
    const { figures } = await makeEngine(withoutNamespaces).call(scratching('look'));
    expect(figures.enforced).toMatchObject({ files: 'enforced', processes: 'best-effort', disk: 'best-effort' });
  });

  it('say that what is allowed is not enforced', async () => {
    const { figures } = await makeEngine({ ...strict, allowNet: true, allowRun: true }).call(scratching('look'));
    expect(figures.enforced).toMatchObject({ network: 'none', memory: 'best-effort', files: 'enforced' });
  });
});

describeLaunchers('what a strict script is refused', (makeEngine) => {
  const folder = folderWith({ 'secret.txt': 'secret' });
  const secret = join(folder, 'secret.txt');
  const own = fixture('strict/data.txt');

  it.each([
    ['read', { path: secret }, `--allow-read=${secret}`],
    ['list_folder', { path: folder }, `--allow-read=${folder}`],
    ['write', { path: secret }, `--allow-write=${folder}`],
    ['write', { path: join(fixture('strict'), 'new.txt') }, `--allow-write=${fixture('strict')}`],
    ['write', { path: own }, `--allow-write=${own}`],
    ['write', { path: 'data.txt' }, `--allow-write=${own}`],
    ['remove', { path: own }, `--allow-write=${fixture('strict')}`],
    ['open_database', { path: join(folder, 'x.db') }, `--allow-write=${folder}`],
    ['wrap_a_refusal', { path: secret }, `--allow-read=${secret}`],
    ['connect', {}, '--allow-net'],
    ['fetch', {}, '--allow-net'],
    ['look_up', {}, '--allow-net'],
    ['connect_asynchronously', {}, '--allow-net'],
    ['start_program', {}, '--allow-run'],
    ['fork', {}, '--allow-run'],
    ['start_process', {}, '--allow-run'],
  ])('is an error that names the permission: %s %o', async (name, args, permission) => {
    const error = await failureOf(makeEngine(strict).call(trying(name, args)));
    expect(error.code).toBe('PERMISSION_DENIED');
    expect(error.details.permission).toBe(permission);
    expect(error.message).toContain(`(${permission} would allow it)`);
    expect(error.details.traceback).toContain('tries_things.py');
    expect(readFileSync(secret, 'utf8')).toBe('secret');
    expect(readFileSync(own, 'utf8')).toBe('beside the script');
  });

  it('is the same without namespaces', async () => {
    const engine = makeEngine(withoutNamespaces);
    const error = await failureOf(engine.call(trying('read', { path: secret })));
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED', details: { permission: `--allow-read=${secret}` } });
  });

  it('is the script’s to recover from', async () => {
    expect((await makeEngine(strict).call(trying('recover', { path: secret }))).value).toBe('recovered');
  });

  it('is told apart from what simply failed', async () => {
    const engine = makeEngine(strict);
    expect((await failureOf(engine.call(trying('miss_a_key')))).code).toBe('EXCEPTION');
    expect((await failureOf(engine.call(trying('miss_a_file')))).code).toBe('EXCEPTION');
  });

  it('is told of an import too', async () => {
    const script = join(folderWith({ 'reads.py': `open(${JSON.stringify(secret)})\n` }), 'reads.py');
    const error = await failureOf(makeEngine(strict).call({ script, function: 'f' }));
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED', details: { permission: `--allow-read=${secret}` } });
  });

  it('is allowed where the settings say so', async () => {
    const target = join(folderWith({ 'out.txt': '' }), 'out.txt');
    const engine = makeEngine({ ...strict, allowRead: [secret], allowWrite: [target] });
    expect((await engine.call(trying('read', { path: secret }))).value).toBe('secret');
    await engine.call(trying('write', { path: target }));
    expect(readFileSync(target, 'utf8')).toBe('changed');
    expect((await failureOf(engine.call(trying('write', { path: secret })))).code).toBe('PERMISSION_DENIED');
  });

  it('is not what may be read where everything may be', async () => {
    const engine = makeEngine({ ...strict, allowRead: true });
    expect((await engine.call(trying('read', { path: secret }))).value).toBe('secret');
    expect((await failureOf(engine.call(trying('write', { path: secret })))).code).toBe('PERMISSION_DENIED');
    await engine.call(scratching('leave', { name: 'own.txt' }));
  });
});

describeLaunchers('the scratch folder of a strict call', (makeEngine) => {
  it.each([
    ['with namespaces', strict],
    ['without', withoutNamespaces],
  ])('is its working folder, its home and where temporary files go, %s', async (_, settings) => {
    const { value } = await makeEngine(settings).call(scratching('surroundings'));
    const { cwd, home, temporary } = value as Record<string, string>;
    expect([home, temporary]).toEqual([cwd, cwd]);
  });

  it.each([
    ['with namespaces', strict],
    ['without', withoutNamespaces],
  ])('is empty again before the next call, but for the data beside the script, %s', async (_, settings) => {
    const engine = makeEngine(settings);
    for (let call = 0; call < 24; call++) await engine.call(scratching('leave', { name: `file-${call}` }));
    for (let call = 0; call < 24; call++) {
      expect((await engine.call(scratching('look'))).value).toEqual(['data.txt']);
    }
  });

  it('shows the data beside the script by their relative names', async () => {
    expect((await makeEngine(strict).call(scratching('read_data'))).value).toBe('beside the script');
  });

  it('stays for a session', async () => {
    const engine = makeEngine({ ...strict, isolation: 'session' });
    await engine.call(scratching('leave', { name: 'kept' }), { session: 'one' });
    expect((await engine.call(scratching('look'), { session: 'one' })).value).toEqual(['data.txt', 'kept']);
    expect((await engine.call(scratching('look'), { session: 'two' })).value).toEqual(['data.txt']);
  });

  it.each([
    ['one large file', 'fill', { megabytes: 3 }],
    ['many files', 'fill_with_files', { files: 300, size: 16_384 }],
    ['files without content', 'fill_with_files', { files: 100_000, size: 0 }],
  ])('is bounded: %s', async (_, name, args) => {
    const engine = makeEngine({ ...strict, scratchBytes: 2 * 1024 * 1024 });
    expect((await failureOf(engine.call(scratching(name, args)))).code).toBe('DISK_LIMIT');
    expect((await engine.call(scratching('look'))).value).toEqual(['data.txt']);
  });

  it('is bounded by looking at it where it is a plain folder', async () => {
    const engine = makeEngine({ ...withoutNamespaces, scratchBytes: 1024 * 1024 });
    const error = await failureOf(engine.call(scratching('fill_with_files', { files: 100_000, size: 1024 })));
    expect(error.code).toBe('DISK_LIMIT');
  });

  it('leaves nothing on the host', async () => {
    const temporary = folderWith({});
    vi.stubEnv('TMPDIR', temporary);
    const engine = makeEngine(withoutNamespaces);
    const { value } = await engine.call(scratching('leave', { name: 'file' }));
    expect(value).toContain(temporary);
    await engine.close();
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describeLaunchers('whole scripts under strict', (makeEngine) => {
  it('run from source with no folder of their own', async () => {
    const source = 'import os\nresult(os.listdir())';
    expect((await makeEngine(strict).run({ source })).value).toEqual([]);
  });

  it('run from a file with the data beside it', async () => {
    const path = join(folderWith({ 'main.py': 'result(open("data.txt").read())', 'data.txt': 'own' }), 'main.py');
    expect((await makeEngine(strict).run({ path })).value).toBe('own');
  });

  it('do not see the folder of the script before', async () => {
    const first = folderWith({ 'main.py': 'result(1)', 'data.txt': 'secret' });
    const second = folderWith({ 'main.py': `result(open(${JSON.stringify(join(first, 'data.txt'))}).read())` });
    const engine = makeEngine(strict);
    await engine.run({ path: join(first, 'main.py') });
    expect((await failureOf(engine.run({ path: join(second, 'main.py') }))).code).toBe('PERMISSION_DENIED');
  });

  it('are what functions of scripts that are not to be imported ahead run like', async () => {
    const { value } = await makeEngine(strict).call({ ...scratching('read_data'), prewarm: false });
    expect(value).toBe('beside the script');
  });

  it('cannot work in a folder that they may not see', async () => {
    const error = await failureOf(makeEngine(strict).run({ source: 'pass', cwd: folderWith({}) }));
    expect(error.code).toBe('INVALID_ARGUMENTS');
  });
});

describe('a PythonEngine under strict', () => {
  const engine = new PythonEngine(strict);
  afterAll(() => engine.close());

  it('runs precompiled scripts with a context', async () => {
    const script = await engine.precompileScript('def check(context):\n    return context["request"]', 'check');
    expect((await engine.executePrecompiled(script, { request: 'hello' })).value).toBe('hello');
  });
});

describeLaunchers('one engine', (makeEngine) => {
  const path = '/etc/passwd';

  it('runs a single call under strict where it is asked to', async () => {
    const engine = makeEngine();
    expect((await engine.call(trying('recover', { path }))).value).not.toBe('recovered');
    expect((await engine.call(trying('recover', { path }), { profile: 'strict' })).value).toBe('recovered');
  });

  it('runs no call under less than its own profile', async () => {
    const error = await failureOf(startCall(makeEngine(strict), trying('recover', { path }), 'trusted'));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'profile' } });
  });

  it('imports a script once for each tenant', async () => {
    const engine = makeEngine(strict);
    const which = async (tenant: string) =>
      (await engine.call({ script: fixture('strict/was_imported_once.py'), function: 'which' }, { tenant })).value;
    const [ada, bob] = [await which('ada'), await which('bob')];
    expect(ada).not.toBe(bob);
  });

  it('tells a strict script nothing of the environment but what is safe or allowed', async () => {
    vi.stubEnv('SHOP_SECRET', 'secret');
    vi.stubEnv('SHOP_NAME', 'name');
    const engine = makeEngine({ ...strict, allowEnv: ['SHOP_NAME', 'MCP_EXECUTION_TEST_MARK'] });
    const { value } = await engine.run({ source: 'import os\nresult(dict(os.environ))' });
    expect(value).toMatchObject({ SHOP_NAME: 'name' });
    expect(value).not.toHaveProperty('SHOP_SECRET');
  });

  it('gives each of several new scripts its own sandbox, whichever process was ready for it', async () => {
    const engine = makeEngine(strict);
    for (const word of ['one', 'two', 'three', 'four']) {
      const source = 'def read(path: str):\n    with open(path) as file:\n        return file.read()\n';
      const folder = folderWith({ 'reads.py': source, 'own.txt': word });
      const read = (path: string) =>
        engine.call({ script: join(folder, 'reads.py'), function: 'read', args: { path } });
      expect((await read('own.txt')).value).toBe(word);
      expect((await read(join(folder, 'own.txt'))).value).toBe(word);
      const error = await failureOf(read(fixture('strict/data.txt')));
      expect(error.code).toBe('PERMISSION_DENIED');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  it('shows a script that is reached by a link the folder that it really stands in, and not that of the link', async () => {
    const real = folderWith({ 'reads.py': 'def read(path: str):\n    return open(path).read()\n', 'own.txt': 'own' });
    const linking = folderWith({ 'diary.txt': 'private' });
    symlinkSync(join(real, 'reads.py'), join(linking, 'link.py'));
    const engine = makeEngine(strict);
    const read = (path: string) => engine.call({ script: join(linking, 'link.py'), function: 'read', args: { path } });
    expect((await read('own.txt')).value).toBe('own');
    expect((await failureOf(read(join(linking, 'diary.txt')))).code).toBe('PERMISSION_DENIED');
  });

  it('refuses a path that no file can have, and harms no other call by it', async () => {
    const engine = makeEngine(strict);
    for (const script of ['/tmp/\ud800/s.py', '/tmp/a\0b.py']) {
      expect((await failureOf(engine.call({ script, function: 'f' }))).code).toBe('INVALID_SCRIPT');
      expect((await failureOf(engine.run({ path: script }))).code).toBe('INVALID_SCRIPT');
    }
    expect((await engine.call(scratching('look'))).value).toEqual(['data.txt']);
  });

  it('refuses a permission for what does not exist', async () => {
    const missing = join(folderWith({}), 'missing');
    const error = await failureOf(makeEngine({ ...strict, allowRead: [missing] }).call(trying('fork')));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', details: { setting: 'allowRead' } });
    expect(error.message).toContain(`${missing} does not exist`);
  });
});

describeLaunchers('a strict script that needs an interpreter of its own', (makeEngine) => {
  it('is one that shares memory after its import', async () => {
    const source = 'import mmap\nSHARED = mmap.mmap(-1, 4096)\n\n\ndef f():\n    return SHARED[0]\n';
    const script = join(folderWith({ 'shares.py': source }), 'shares.py');
    const { value, figures } = await makeEngine(strict).call({ script, function: 'f' });
    expect(value).toBe(0);
    expect(figures.launcher).toBe('warm');
  });
});

describe('a process that cannot enter its sandbox', () => {
  async function launchUnguarded(settings: SettingsInput) {
    const parsed = parseSettings(settings);
    const script = fixture('strict/was_imported_once.py');
    const sandbox = sandboxOf(parsed, script, undefined);
    const spec = { script, limits: parsed, importTimeoutMs: parsed.importTimeoutMs, sandbox };
    const launcher = createWarmLauncher(await findPython(), environmentOf('trusted', true), spec, 1 << 20, false);
    try {
      await launcher.launch();
      return await launcher.ready;
    } finally {
      await launcher.close();
    }
  }

  it('refuses to go on, says what is missing and which setting would accept less', async () => {
    const error = await failureOf(launchUnguarded(strict));
    expect(error.code).toBe('SANDBOX_UNAVAILABLE');
    expect(error.message).toMatch(/Missing: .+\. With enforcement best-effort the script would run without it/);
    expect(error.exitCode).toBe(3);
  });

  it('goes on where less is accepted, and says what holds', async () => {
    const { confinement } = await launchUnguarded({ ...strict, enforcement: 'best-effort' });
    expect(confinement?.enforced.files).toBe('none');
    expect(confinement?.missing).not.toEqual([]);
  });
});

describe('the profile that settings mean', () => {
  const meant = (settings: SettingsInput) => profileOf(parseSettings(settings));

  it('is trusted where nothing is said', () => {
    expect(meant({})).toBe('trusted');
    expect(meant({ allowEnv: ['A'] })).toBe('trusted');
  });

  it.each<SettingsInput>([{ allowRead: ['/'] }, { allowWrite: true }, { allowNet: true }, { allowRun: true }])(
    'is strict where a permission is given: %o',
    (settings) => {
      expect(meant(settings)).toBe('strict');
    },
  );

  it('is trusted where all is allowed', () => {
    expect(meant({ allowAll: true, allowNet: true })).toBe('trusted');
  });

  it.each([
    [{ profile: 'trusted', allowNet: true }, 'allowNet'],
    [{ profile: 'strict', allowAll: true }, 'allowAll'],
  ] as const)('is none where it contradicts itself: %o', (settings, setting) => {
    expect(() => meant(settings)).toThrow(expect.objectContaining({ code: 'INVALID_SETTING', details: { setting } }));
  });
});

async function startCall(engine: Engine, work: ReturnType<typeof trying>, profile: 'trusted' | 'strict') {
  return engine.call(work, { profile });
}
