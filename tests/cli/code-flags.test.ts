import { describe, expect, it } from 'vitest';
import { codeSettingFamily } from '../../src/codemode/settings.js';
import { settingNames } from '../../src/config.js';
import { say } from './fake.js';

const flags = codeSettingFamily.names.map((name) => codeSettingFamily.flagName(name));

describe('the settings of code execution', () => {
  it.each(['generate', 'schemas', 'list-tools', 'run', 'runs', 'call'])(
    'are flags of %s, with an example',
    async (verb) => {
      for (const words of [
        [verb, '--help'],
        ['help', verb],
      ]) {
        const { exitCode, stdout } = await say(words);
        expect([exitCode, flags.filter((flag) => !stdout.includes(`${flag} `))]).toEqual([0, []]);
        expect(stdout).toContain(`$ mcp-exec ${verb}`);
      }
    },
  );

  it.each(['serve', 'discover', 'doctor', 'export'])('are no flags of %s', async (verb) => {
    const { stdout } = await say([verb, '--help']);
    expect(flags.filter((flag) => stdout.includes(`${flag} `))).toEqual([]);
  });

  it('have no flag that the engine has', () => {
    expect(settingNames.filter((name) => flags.includes(`--${name}`))).toEqual([]);
  });

  it('are refused by a name that is near one', async () => {
    const { exitCode, stderr } = await say(['list-tools', '--worksace', 'x']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Did you mean --workspace?')]);
  });
});

describe('help of a verb that there is not', () => {
  it('ends with 2', async () => {
    expect((await say(['help', 'nonsense'])).exitCode).toBe(2);
  });
});
