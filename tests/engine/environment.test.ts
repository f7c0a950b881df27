import { describe, expect, it } from 'vitest';
import { metadataEnvironment, safeNames, scriptEnvironment } from '../../src/engine/environment.js';
import type { JsonObject } from '../../src/toolbox.js';

const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };

describe('scriptEnvironment', () => {
  it('is everything, as under plain Python, where nothing is restricted', () => {
    const host = { PATH: '/bin', HOME: '/home/al', API_TOKEN: 'secret', UNSET: undefined };
    expect(scriptEnvironment(host)).toEqual({ PATH: '/bin', HOME: '/home/al', API_TOKEN: 'secret', ...oneThread });
  });

  it('has this safe list', () => {
    expect(safeNames).toEqual([
      'PATH',
      'LANG',
      'LANGUAGE',
      'LC_*',
      'TZ',
      'TERM',
      'TMPDIR',
      'TEMP',
      'TMP',
      'LD_LIBRARY_PATH',
      'SYSTEMROOT',
      'SYSTEMDRIVE',
      'WINDIR',
      'COMSPEC',
      'PATHEXT',
      'NUMBER_OF_PROCESSORS',
      'PROCESSOR_ARCHITECTURE',
    ]);
  });

  it('is the safe list and what is named, where restricted', () => {
    const host = {
      PATH: '/bin',
      LC_ALL: 'C',
      HOME: '/home/al',
      USER: 'al',
      PYTHONPATH: '/lib',
      API_TOKEN: 'secret',
      AWS_REGION: 'eu',
      AWS_PROFILE: 'p',
      path: 'another',
    };
    expect(scriptEnvironment(host, [], 'linux')).toEqual({ PATH: '/bin', LC_ALL: 'C', ...oneThread });
    expect(scriptEnvironment(host, ['API_TOKEN', 'AWS_*', 'MISSING'], 'linux')).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      API_TOKEN: 'secret',
      AWS_REGION: 'eu',
      AWS_PROFILE: 'p',
      ...oneThread,
    });
    expect(scriptEnvironment(host, ['*'], 'linux')).toEqual({ ...host, ...oneThread });
  });

  it('keeps the case of names on Windows and ignores it in lists', () => {
    const host = { Path: 'C:\\', SystemRoot: 'C:\\Windows', Api_Token: 'x', UserProfile: 'C:\\Users\\al' };
    expect(scriptEnvironment(host, ['api_*'], 'win32')).toEqual({
      Path: 'C:\\',
      SystemRoot: 'C:\\Windows',
      Api_Token: 'x',
      ...oneThread,
    });
  });

  it('leaves the number of native threads to a person who sets it', () => {
    expect(scriptEnvironment({ OMP_NUM_THREADS: '8' })).toEqual({ OMP_NUM_THREADS: '8', OPENBLAS_NUM_THREADS: '1' });
  });

  it('takes the number of native threads through a list only where it is named', () => {
    expect(scriptEnvironment({ OMP_NUM_THREADS: '8' }, [])).toEqual(oneThread);
    expect(scriptEnvironment({ OMP_NUM_THREADS: '8' }, ['OMP_*'])).toEqual({ ...oneThread, OMP_NUM_THREADS: '8' });
  });
});

describe('metadataEnvironment', () => {
  it('writes plain values under names in capitals, one object deep', () => {
    expect(
      metadataEnvironment({
        request: { ignored: 1 },
        metadata: {
          testName: 'a test',
          tool_name: 'tool',
          'attempt-no': 2,
          isRetry: false,
          server_info: { name: 'server', protocolVersion: '2025-11-25', nested: { deeper: 'no' }, list: ['no'] },
          nothing: null,
          list: ['no'],
        },
      }),
    ).toEqual({
      MCP_EXECUTION_TEST_NAME: 'a test',
      MCP_EXECUTION_TOOL_NAME: 'tool',
      MCP_EXECUTION_ATTEMPT_NO: '2',
      MCP_EXECUTION_IS_RETRY: 'false',
      MCP_EXECUTION_SERVER_INFO_NAME: 'server',
      MCP_EXECUTION_SERVER_INFO_PROTOCOL_VERSION: '2025-11-25',
    });
  });

  it('keeps quotes, emoji, newlines and the word null as they are', () => {
    const value = '"null" \'true\' 🐍\n$HOME';
    expect(metadataEnvironment({ metadata: { value } })).toEqual({ MCP_EXECUTION_VALUE: value });
  });

  it('leaves out what an environment cannot hold', () => {
    const metadata = {
      nul: 'a\0b',
      surrogate: '\ud800',
      huge: 'x'.repeat(64 * 1024 + 1),
      hugeInBytes: 'é'.repeat(33 * 1024),
      ['k'.repeat(200)]: 'long name',
      '***': 'no name',
      fits: 'x'.repeat(64 * 1024),
    };
    expect(Object.keys(metadataEnvironment({ metadata }))).toEqual(['MCP_EXECUTION_FITS']);
  });

  it('never sets a variable that is a setting', () => {
    expect(
      metadataEnvironment({ metadata: { python: '/bin/evil', allow: { env: '*' }, log: { level: 'debug' } } }),
    ).toEqual({});
  });

  it.each<JsonObject>([{}, { metadata: null }, { metadata: 'text' }, { metadata: ['a'] }])(
    'is empty for %j',
    (context) => {
      expect(metadataEnvironment(context)).toEqual({});
    },
  );
});
