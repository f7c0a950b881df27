import { describe, expect, it } from 'vitest';
import {
  environmentName,
  flagName,
  kindOfSetting,
  limitNames,
  lowerLimits,
  parseSettings,
  type SettingName,
  settingFromText,
  settingNames,
  settingsFromEnvironment,
  settingsSchema,
  type UncheckedSettings,
} from '../src/config.js';
import { CallerError } from '../src/errors.js';

describe('settings', () => {
  it('are the defaults when nothing is given', () => {
    expect(parseSettings()).toEqual({
      isolation: 'call',
      launcher: 'auto',
      allowNet: false,
      allowRun: false,
      allowAll: false,
      enforcement: 'required',
      namespaces: 'auto',
      timeoutMs: 60_000,
      importTimeoutMs: 60_000,
      cpuMs: 60_000,
      memoryBytes: 1024 ** 3,
      maxOutputBytes: 64 * 1024 ** 2,
      maxCapturedBytes: 1024 ** 2,
      maxResultBytes: 64 * 1024 ** 2,
      maxOpenFiles: 1024,
      previewBytes: 65_536,
      installPackages: 'wheels',
      maxProcesses: 64,
      scratchBytes: 64 * 1024 ** 2,
      concurrency: 8,
      queueLength: 1000,
      maxScripts: 64,
      maxSessions: 64,
      sessionIdleMs: 600_000,
      minIdleChildren: 1,
      idleChildren: 8,
      idleMs: 10_000,
      recycleAfterCalls: 10_000,
      recycleAfterMs: 3_600_000,
      recycleGrowthBytes: 64 * 1024 ** 2,
      secrets: [],
      logLevel: 'warn',
    });
  });

  it.each(settingNames)('%s is described', (name) => {
    expect(settingsSchema.shape[name].description).toMatch(/^\S.*\.$/);
  });

  it.each(settingNames)('%s of a wrong type is refused by name', (name) => {
    const error = refusalOf(() => parseSettings({ [name]: { not: 'this' } }));
    expect(error.details.setting).toBe(name);
    expect(error.message).toContain(`Setting ${name}: `);
    expect(error.message).toContain('got {"not":"this"}');
  });

  it.each(settingNames.filter((name) => kindOfSetting(name).kind === 'number'))(
    '%s refuses fractions, negative numbers, infinity and NaN',
    (name) => {
      for (const value of [1.5, -1, Number.POSITIVE_INFINITY, Number.NaN]) {
        expect(refusalOf(() => parseSettings({ [name]: value })).details.setting).toBe(name);
      }
    },
  );

  it('have times that a timer can hold, as a longer one would go off at once', () => {
    const times = settingNames.filter((name) => name.endsWith('Ms'));
    expect(times).toContain('timeoutMs');
    for (const name of times) {
      expect(refusalOf(() => parseSettings({ [name]: 2 ** 31 })).details.setting).toBe(name);
      expect(parseSettings({ [name]: 2 ** 31 - 1 })[name]).toBe(2 ** 31 - 1);
    }
  });

  it('may leave the queue empty and nothing else', () => {
    const zeroes = settingNames.filter((name) => settingsSchema.shape[name].safeParse(0).success);
    expect(zeroes).toEqual(['queueLength']);
  });

  it('have a smallest memory and a smallest number of files, below which Python does not run', () => {
    expect(refusalOf(() => parseSettings({ memoryBytes: 1024 })).message).toContain('memoryBytes');
    expect(refusalOf(() => parseSettings({ maxOpenFiles: 3 })).message).toContain('maxOpenFiles');
  });

  it.each([
    ['timeout', 'timeoutMs'],
    ['timeout_ms', 'timeoutMs'],
    ['timoutMs', 'timeoutMs'],
    ['memory', 'memoryBytes'],
    ['isolaton', 'isolation'],
  ])('that are unknown, like %s, are refused with a suggestion', (given, meant) => {
    const error = refusalOf(() => parseSettings(JSON.parse(`{"${given}": 1}`)));
    expect(error.message).toBe(`Unknown setting ${given}; did you mean ${meant}?`);
    expect(error.details.setting).toBe(given);
  });

  it('that resemble none are refused with the list of all', () => {
    expect(refusalOf(() => parseSettings(JSON.parse('{"zzz": 1}'))).message).toContain('known are python, isolation');
  });

  it('that are no object are refused', () => {
    expect(refusalOf(() => parseSettings(JSON.parse('[]'))).message).toBe('Settings: expected object');
  });
});

describe('the names of a setting', () => {
  it('follow from the one in the schema', () => {
    expect(environmentName('maxOutputBytes')).toBe('MCP_EXECUTION_MAX_OUTPUT_BYTES');
    expect(flagName('maxOutputBytes')).toBe('--max-output-bytes');
    expect(flagName('python')).toBe('--python');
  });
});

describe('text', () => {
  it.each<[SettingName, string, unknown]>([
    ['timeoutMs', '5000', 5000],
    ['timeoutMs', '5_000', 5000],
    ['timeoutMs', '-5', -5],
    ['timeoutMs', 'soon', 'soon'],
    ['timeoutMs', '', ''],
    ['timeoutMs', '_', '_'],
    ['timeoutMs', '1.5', '1.5'],
    ['timeoutMs', '0x10', '0x10'],
    ['python', '3', '3'],
    ['isolation', 'shared', 'shared'],
    ['secrets', 'A,B', ['A', 'B']],
    ['secrets', 'A,,', ['A']],
    ['allowEnv', '', []],
  ])('of %s given as %j becomes %j', (name, text, value) => {
    expect(settingFromText(name, text)).toEqual(value);
  });
});

describe('the environment', () => {
  it('gives settings by their variables and leaves other variables alone', () => {
    const environment = {
      MCP_EXECUTION_TIMEOUT_MS: '5',
      MCP_EXECUTION_ALLOW_ENV: 'HOME,LANG',
      MCP_EXECUTION_PYTHON: '',
      MCP_EXECUTION_TEST_NAME: 'a test',
      MCP_EXECUTION_TOOL_NAME: 'a tool',
      HOME: '/',
    };
    expect(settingsFromEnvironment(environment)).toEqual({ timeoutMs: 5, allowEnv: ['HOME', 'LANG'] });
  });

  it('is refused where a variable is a slip of a setting', () => {
    const error = refusalOf(() => settingsFromEnvironment({ MCP_EXECUTION_TIMOUT_MS: '5' }));
    expect(error.message).toBe('Unknown setting MCP_EXECUTION_TIMOUT_MS; did you mean MCP_EXECUTION_TIMEOUT_MS?');
  });
});

describe('the limits of a call', () => {
  const global = parseSettings();

  it('are the global ones where nothing lower is asked, and nothing but limits', () => {
    expect(Object.keys(lowerLimits(global)).sort()).toEqual([...limitNames].sort());
    expect(lowerLimits(global, { timeoutMs: undefined }).timeoutMs).toBe(60_000);
  });

  it('may be lowered', () => {
    expect(lowerLimits(global, { timeoutMs: 5 })).toMatchObject({ timeoutMs: 5, cpuMs: 60_000 });
  });

  it('may not be raised', () => {
    const error = refusalOf(() => lowerLimits(global, { timeoutMs: 60_001 }));
    expect(error.message).toBe('Limit timeoutMs: 60001 is above the global limit of 60000; a call may only lower it');
  });

  it.each<[string, UncheckedSettings]>([
    ['of a wrong type', { timeoutMs: '5' }],
    ['that are zero', { timeoutMs: 0 }],
    ['that are not limits', { concurrency: 1 }],
  ])('%s are refused by name', (_, asked) => {
    const error = refusalOf(() => lowerLimits(global, JSON.parse(JSON.stringify(asked))));
    expect(error.details.setting).toBe(Object.keys(asked)[0]);
  });
});

function refusalOf(work: () => unknown): CallerError {
  try {
    work();
  } catch (error) {
    if (error instanceof CallerError && error.code === 'INVALID_SETTING') return error;
    throw error;
  }
  throw new Error('it was not refused');
}
