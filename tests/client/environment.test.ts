import { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serverEnvironment } from '../../src/client/command/environment.js';

describe('the environment of a server', () => {
  beforeEach(() => {
    for (const name of DEFAULT_INHERITED_ENV_VARS) vi.stubEnv(name, `the ${name}`);
    vi.stubEnv('SOME_SECRET', 'hidden');
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is what the official client passes on', () => {
    expect(serverEnvironment()).toEqual(getDefaultEnvironment());
    expect(Object.keys(serverEnvironment())).toEqual(expect.arrayContaining(DEFAULT_INHERITED_ENV_VARS));
    expect(serverEnvironment()).not.toHaveProperty('SOME_SECRET');
  });

  it('has no functions of a shell', () => {
    vi.stubEnv('TERM', '() { echo; }');

    expect(serverEnvironment()).toEqual(getDefaultEnvironment());
    expect(serverEnvironment()).not.toHaveProperty('TERM');
  });

  it('has what the server is given by name, before what is passed on', () => {
    expect(serverEnvironment({ PATH: '/here', TOKEN: 'x' })).toMatchObject({ PATH: '/here', TOKEN: 'x' });
  });
});
