import { describe, expect, it } from 'vitest';
import { settingFamily } from '../../../src/config.js';
import { gatewaySettingFamily as family } from '../../../src/gateway/config/family.js';

describe('the settings of the gateway', () => {
  it('have flags and variables by their names', () => {
    expect(family.flagName('maxBodyBytes')).toBe('--max-body-bytes');
    expect(family.environmentName('maxBodyBytes')).toBe('MCP_EXECUTION_GATEWAY_MAX_BODY_BYTES');
  });

  it('have no flag that a setting of the engine has', () => {
    const ofEngine = new Set(settingFamily.names.map((name) => settingFamily.flagName(name)));
    expect(family.names.map((name) => family.flagName(name)).filter((flag) => ofEngine.has(flag))).toEqual([]);
    expect(family.flagName('maxSessions')).toBe('--gateway-max-sessions');
  });

  it.each(family.names)('%s is described', (name) => {
    expect(family.describe(name)).toMatch(/^\S.*\.$/);
  });

  it('are read from variables, which those of the engine leave alone', () => {
    const environment = { MCP_EXECUTION_GATEWAY_PORT: '9_000', MCP_EXECUTION_GATEWAY_MAX_SESSIONS: '5' };
    expect(family.fromEnvironment(environment)).toEqual({ port: 9000, maxSessions: 5 });
    expect(settingFamily.fromEnvironment(environment)).toEqual({});
  });

  it('refuse a variable that is a slip of one', () => {
    expect(() => family.fromEnvironment({ MCP_EXECUTION_GATEWAY_PROBEMS: '5' })).toThrow(
      'did you mean MCP_EXECUTION_GATEWAY_PROBE_MS?',
    );
  });
});
