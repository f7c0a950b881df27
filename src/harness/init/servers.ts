import type { OpenServer, TestedServer } from '../../testedserver.js';

/** The server that is being drafted for; another is started where it ended, if that can be. */
export interface Servers {
  /** Nothing where it ended and cannot be had again. */
  current(): Promise<TestedServer | undefined>;
  /** Those that there were, the one that was given too. */
  readonly all: readonly TestedServer[];
  /** Ends those that were started here. */
  close(): Promise<void>;
}

const mostStarts = 5;

export function createServers(given: TestedServer | undefined, open: OpenServer | undefined): Servers {
  const started: TestedServer[] = [];
  let server = given;
  return {
    get all() {
      return given ? [given, ...started] : started;
    },
    async current() {
      if (server && !server.isOver) return server;
      if (open === undefined || started.length >= mostStarts) return undefined;
      server = await open().catch(() => undefined);
      if (server) started.push(server);
      return server;
    },
    async close() {
      await Promise.all(started.map((each) => each.close()));
    },
  };
}
