import { parseSettings, type SettingsInput } from '../config.js';
import type { Gateway, GatewayOptions } from '../gateway/gateway.js';
import { createLog } from '../log.js';

/** What a gateway is told where scripts and MCP servers are opened as usual. */
export interface GatewayInput extends Omit<GatewayOptions, 'open' | 'uploads' | 'limits'> {
  /** Settings of the engine, for all services that have none of their own. */
  readonly engine?: SettingsInput;
  /** Edits of scripts are picked up. */
  readonly watch?: boolean;
}

/** A gateway that listens. Loaded when it is asked for: whoever uses the library for less does without. */
export async function createGateway({ engine, watch, ...options }: GatewayInput = {}): Promise<Gateway> {
  const settings = parseSettings(engine);
  const { logLevel: level, secrets, logFile: file } = settings;
  const log = options.log ?? createLog({ level, secrets, file });
  const [gateways, openers, uploads] = await Promise.all([
    import('../gateway/gateway.js'),
    import('./open.js'),
    import('./upload-work.js'),
  ]);
  const opener = openers.createOpener({ settings, log, watches: watch });
  try {
    const gateway = await gateways.createGateway({
      ...options,
      log,
      open: opener.open,
      uploads: uploads.createUploadWork({ settings, log }),
      limits: settings,
    });
    return {
      ...gateway,
      async close() {
        await gateway.close();
        await opener.close();
      },
    };
  } catch (error) {
    await opener.close();
    throw error;
  }
}
