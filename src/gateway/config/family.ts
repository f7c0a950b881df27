import { gatewayEnvironmentPrefix, settingNames } from '../../config.js';
import { createSettingFamily } from '../../settings.js';
import { gatewaySettingsSchema } from '../settings.js';

/** Flags, variables and texts of the gateway's own settings. A flag that the engine has already begins with --gateway. */
export const gatewaySettingFamily = createSettingFamily(gatewaySettingsSchema, {
  environmentPrefix: gatewayEnvironmentPrefix,
  taken: { names: settingNames, word: 'gateway' },
});

/** What is decided when the gateway starts; a change of it waits for the next start. */
export const settingsOfStart = [
  'host',
  'port',
  'data',
  'trustProxy',
  'maxBodyBytes',
  'bodyTimeoutMs',
  'maxConnections',
  'compressFromBytes',
] as const;
