import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { PythonEngine } from '../../src/engine/python-engine.js';
import { describeLaunchers, failureOf, fixture, processesLeft } from './harness.js';

type Environment = Record<string, string>;
type Environments = { 'at import': Environment; 'in the call': Environment };

const token = 'tok-5c9a3e71';
const named = { SHOP_API_TOKEN: token, SHOP_REGION: 'north', OTHER_NAME: 'é 🐍=\nx' };

beforeEach(() => {
  for (const [name, value] of Object.entries(named)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describeLaunchers('The environment of a script', (makeEngine) => {
  const work = { script: fixture('shows_its_environment.py'), function: 'environment' };

  it('is the whole environment of the host, as under plain Python', async () => {
    const { value } = await makeEngine().call(work);
    const seen = value as Environments;
    const host = Object.fromEntries(Object.entries(process.env).filter(([, text]) => text !== undefined));
    expect(seen['at import']).toMatchObject(host);
    expect(seen['in the call']).toEqual(seen['at import']);
    const added = Object.keys(seen['in the call']).filter((name) => !(name in host));
    expect(added.filter((name) => !['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'].includes(name))).toEqual([]);
  });

  it('is a safe list and what is named, where names are given', async () => {
    const engine = makeEngine({ allowEnv: ['SHOP_*', 'MCP_EXECUTION_TEST_MARK'] });
    const { value } = await engine.call(work);
    const seen = (value as Environments)['in the call'];
    expect(seen).toMatchObject({ SHOP_API_TOKEN: token, SHOP_REGION: 'north', PATH: process.env.PATH });
    expect(seen).not.toHaveProperty('OTHER_NAME');
    expect(seen).not.toHaveProperty('HOME');
    const run = await engine.run({ source: 'import os\nresult(dict(os.environ))', env: { ONLY_HERE: '1' } });
    expect(run.value).toEqual({ ...seen, ONLY_HERE: '1' });
  });

  it('does not change that its streams are UTF-8', async () => {
    vi.stubEnv('PYTHONIOENCODING', 'latin-1');
    const source = 'import sys\nprint(sys.stdin.read(), "🐍")\nprint("é", file=sys.stderr)';
    const { stdout, stderr } = await makeEngine({ idleChildren: 1 }).run({ source, stdin: '√' });
    expect([stdout, stderr]).toEqual(['√ 🐍\n', 'é\n']);
  });

  it('has no name of ours but what the host had', async () => {
    const { value } = await makeEngine().run({ source: 'import os\nresult(sorted(os.environ))' });
    const ours = (value as string[]).filter((name) => name.startsWith('MCP_EXECUTION'));
    expect(ours).toEqual(
      Object.keys(process.env)
        .filter((name) => name.startsWith('MCP_EXECUTION'))
        .sort(),
    );
  });

  it('lets the environment of one run win over metadata and over the host', async () => {
    const engine = makeEngine();
    const source = 'import os\nresult([os.environ["MCP_EXECUTION_TEST_NAME"], os.environ["SHOP_REGION"]])';
    const env = { MCP_EXECUTION_TEST_NAME: 'given', SHOP_REGION: 'south' };
    const { value } = await engine.run({ source, env, context: { metadata: { test_name: 'metadata' } } });
    expect(value).toEqual(['given', 'south']);
  });
});

describe('Secrets', () => {
  it('are left out of what the engine logs, and of the errors of the host', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    vi.stubEnv('PLAIN_NAME', 'quite-plain-value');
    const engine = createEngine({
      logLevel: 'debug',
      secrets: ['PLAIN_NAME'],
      python: `/no/such/python-${token}-quite-plain-value`,
    });
    const error = await failureOf(engine.call({ script: `/no/${token}/quite-plain-value.py`, function: 'f' }));
    await engine.close();
    write.mockRestore();
    expect(error.fault).toBe('host');
    expect(`${error.message} ${lines.join('')}`).not.toContain(token);
    expect(`${error.message} ${lines.join('')}`).not.toContain('quite-plain-value');
  });

  it('are left out of the log of a working engine', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    const engine = createEngine({ logLevel: 'debug' });
    await failureOf(engine.call({ script: `/no/${token}/script.py`, function: 'f' }));
    await engine.close();
    write.mockRestore();
    expect(lines.join('')).toContain('[redacted SHOP_API_TOKEN]');
    expect(lines.join('')).not.toContain(token);
    expect(processesLeft()).toEqual([]);
  });

  it('are shown in the failure of the script that shows them', async () => {
    const engine = new PythonEngine();
    const error = await failureOf(engine.executeScript('import os\nraise ValueError(os.environ["SHOP_API_TOKEN"])'));
    await engine.close();
    expect(error).toMatchObject({ code: 'EXCEPTION', message: token });
  });
});
