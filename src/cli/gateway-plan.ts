import { join, resolve } from 'node:path';
import { parseSettings, type Settings, type UncheckedSettings } from '../config.js';
import type { KeyEntry } from '../gateway/access/keys.js';
import { gatewayPaths, withWholePaths } from '../gateway/config/definitions.js';
import { gatewaySettingFamily } from '../gateway/config/family.js';
import { type GatewayConfig, readGatewayConfig } from '../gateway/config/read.js';
import type { ServiceDefinition } from '../gateway/service.js';
import type { GatewaySettings, gatewaySettingsSchema } from '../gateway/settings.js';
import { readKeptKeys } from '../gateway/uploads/kept-keys.js';
import type { Unchecked } from '../settings.js';
import { refuseClashes } from './gateway-services.js';

export interface GatewayFlags {
  readonly config?: string;
  readonly command?: readonly string[];
  readonly url?: readonly string[];
  readonly watch?: boolean;
}

export interface GatewayRun {
  readonly targets: readonly string[];
  readonly flags: GatewayFlags;
  /** What flags and variables say; a config file may say the rest. */
  readonly engine: UncheckedSettings;
  readonly gateway: Unchecked<typeof gatewaySettingsSchema>;
}

/** Everything that is decided by flags, variables and files together. */
export interface Plan {
  readonly settings: GatewaySettings;
  readonly engine: Settings;
  readonly keys: readonly KeyEntry[];
  readonly config: GatewayConfig;
}

export async function makePlan(run: GatewayRun, environment: NodeJS.ProcessEnv): Promise<Plan> {
  const { flags } = run;
  const config = flags.config === undefined ? emptyConfig : await readGatewayConfig(resolve(flags.config), environment);
  const given = withWholePaths(run.gateway, process.cwd(), gatewayPaths);
  const settings = gatewaySettingFamily.parse({ ...config.settings, ...given });
  const engine = parseSettings({ ...config.engine, ...run.engine });
  const kept = settings.data === undefined ? [] : await readKeptKeys(settings.data);
  return { settings, engine, keys: withoutRepeats([...config.keys, ...kept]), config };
}

/** The plan as the gateway takes it, with the services that the command line named. */
export function asOptions({ settings, keys, config }: Plan, given: readonly ServiceDefinition[]) {
  const services = refuseClashes([...given, ...config.services]);
  return { settings, services, keys, oauth: config.oauth };
}

export function hasAuth({ keys, config }: Plan): boolean {
  return keys.length > 0 || config.oauth !== undefined;
}

/** The files that a plan is made of. */
export function filesOf({ flags }: GatewayRun, { settings }: Plan): readonly string[] {
  const config = flags.config === undefined ? [] : [resolve(flags.config)];
  return settings.data === undefined ? config : [...config, join(settings.data, 'keys.json')];
}

const emptyConfig: GatewayConfig = { settings: {}, engine: {}, services: [], keys: [] };

function withoutRepeats(keys: readonly KeyEntry[]): readonly KeyEntry[] {
  return [...new Map(keys.map((entry) => [entry.id, entry])).values()];
}
