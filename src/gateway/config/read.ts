import { dirname, resolve } from 'node:path';
import { settingNames, type UncheckedSettings } from '../../config.js';
import { expandVariables } from '../../configfile/expand.js';
import { readJson } from '../../configfile/json.js';
import { readConfigText } from '../../configfile/text.js';
import type { Unchecked } from '../../settings.js';
import type { KeyEntry } from '../access/keys.js';
import type { OAuthOptions } from '../access/oauth.js';
import type { ServiceDefinition } from '../service.js';
import type { gatewaySettingsSchema } from '../settings.js';
import { definitionsOf, enginePaths, gatewayPaths, withWholePaths } from './definitions.js';
import { gatewaySettingFamily } from './family.js';
import { explain } from './mistakes.js';
import { gatewayConfigSchema } from './schema.js';

/** What a config file says; of the settings only those that it has. */
export interface GatewayConfig {
  readonly settings: Unchecked<typeof gatewaySettingsSchema>;
  readonly engine: UncheckedSettings;
  readonly services: readonly ServiceDefinition[];
  readonly keys: readonly KeyEntry[];
  readonly oauth?: OAuthOptions;
}

/** Reads a config file. Whatever is wrong with it is an error with the place and what to write instead. */
export async function readGatewayConfig(file: string, environment: NodeJS.ProcessEnv): Promise<GatewayConfig> {
  return parseGatewayConfig(await readConfigText(file), file, environment);
}

export function parseGatewayConfig(text: string, file: string, environment: NodeJS.ProcessEnv): GatewayConfig {
  const json = readJson(text, file);
  const value = expandVariables(json.value, environment, (path, variable) => {
    throw json.wrong(path, `the variable ${variable} is not set; set it, or write \${${variable}:-a default}`);
  });
  const parsed = gatewayConfigSchema.safeParse(value);
  if (!parsed.success) {
    const { path, reason } = explain(parsed.error, value);
    throw json.wrong(path, reason);
  }
  const folder = dirname(resolve(file));
  const { services = {}, keys = [], oauth, settings = {} } = parsed.data;
  return {
    settings: withWholePaths(pick(parsed.data, gatewaySettingFamily.names), folder, gatewayPaths),
    engine: withWholePaths(pick(settings, settingNames), folder, enginePaths),
    services: definitionsOf(services, file),
    keys,
    ...(oauth && { oauth }),
  };
}

function pick(from: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(from).filter(([name, value]) => value !== undefined && names.includes(name)),
  );
}
