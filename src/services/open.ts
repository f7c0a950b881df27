import type { Settings } from '../config.js';
import type { OpenService } from '../gateway/service.js';
import type { Log } from '../log.js';
import { createEngines, settingsOfService } from './engines.js';
import { openScripts } from './script-service.js';

export interface OpenerOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly environment?: NodeJS.ProcessEnv;
  readonly watches?: boolean;
}

export interface Opener {
  readonly open: OpenService;
  close(): Promise<void>;
}

/** Makes services of what is said of them: scripts by the engine, MCP servers by the client. */
export function createOpener({ settings, log, environment = process.env, watches = false }: OpenerOptions): Opener {
  const engines = createEngines(log);
  const ended = new AbortController();
  return {
    async open(definition) {
      const { source } = definition;
      const own = settingsOfService(settings, definition.settings, definition.owner !== undefined);
      const surroundings = { log, environment, signal: ended.signal, engines, watches };
      if (source.kind === 'script') return openScripts(definition, source, own, surroundings);
      const { openServer } = await import('./server-service.js');
      return openServer(definition, source, own, surroundings);
    },
    async close() {
      ended.abort();
      await engines.close();
    },
  };
}
