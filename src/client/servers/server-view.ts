import type { ServerToolbox } from '../toolbox.js';
import type { Server } from './server.js';

/** One server of a config, as any other toolbox. */
export function toolboxOf(server: Server): ServerToolbox {
  return {
    async listTools() {
      return (await server.list()).tools;
    },
    async askTools() {
      return { tools: (await server.list({ fresh: true })).tools };
    },
    call: (name, args, options) => server.call(name, args, options),
    warm: () => server.use((toolbox) => toolbox.warm()),
    probe: () => server.use((toolbox) => toolbox.probe()),
    restart: () => server.use((toolbox) => toolbox.restart()),
    recycle: () => server.use((toolbox) => toolbox.recycle()),
    async endSession() {},
    status: () => server.opened()?.status() ?? { idle: 0, busy: 0, starts: 0, crashes: 0 },
    onToolsChanged: (listener) => server.onToolsChanged(listener),
    describe: () => server.opened()?.describe(),
    close: () => server.close(),
  };
}
