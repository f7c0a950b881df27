import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { settingNames, type UncheckedSettings } from '../../config.js';
import { CallerError } from '../../errors.js';
import type { Unchecked } from '../../settings.js';
import type { KeyEntry } from '../access/keys.js';
import type { OAuthOptions } from '../access/oauth.js';
import type { ServiceDefinition } from '../service.js';
import type { gatewaySettingsSchema } from '../settings.js';
import { definitionsOf, enginePaths, gatewayPaths, withWholePaths } from './definitions.js';
import { expandVariables } from './expand.js';
import { gatewaySettingFamily } from './family.js';
import { readJson } from './json.js';
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

const maxConfigBytes = 8 * 1024 * 1024;

/** Reads a config file. Whatever is wrong with it is an error with the place and what to write instead. */
export async function readGatewayConfig(file: string, environment: NodeJS.ProcessEnv): Promise<GatewayConfig> {
  return parseGatewayConfig(await textOf(file), file, environment);
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

async function textOf(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > maxConfigBytes) throw new Error(`it has more than ${maxConfigBytes} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const reason = cause instanceof TypeError ? 'it is not text in UTF-8' : cause instanceof Error ? cause.message : '';
    const message = `${file} cannot be read: ${reason}`;
    throw new CallerError('INVALID_CONFIG', message, { argument: '--config', file }, { cause });
  }
}
