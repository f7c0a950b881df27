import type { Log } from '../../log.js';
import type { Tool } from '../../toolbox.js';
import type { ToolSource } from '../../toolsource.js';
import type { ToolChange } from '../code-execution.js';
import { plainText } from './plain-text.js';

/** The definitions that wrappers were generated from. */
export interface PinnedTools {
  /** By name; undefined where nothing was generated for the server. */
  tools(server: string): ReadonlyMap<string, Tool> | undefined;
  /** Since then. */
  changes(server: string, tools: readonly Tool[]): readonly ToolChange[];
}

export interface ChangedServersOptions {
  readonly source: ToolSource;
  readonly pins: () => Promise<PinnedTools>;
  readonly log: Log;
}

/** Notices servers whose tools are not those that wrappers were generated from. No call waits for that. */
export interface ChangedServers {
  /** Begins to look, the first time. */
  used(server: string): void;
  /** What is known by now of these. */
  sentences(servers: Iterable<string>): readonly string[];
  /** Wrappers were generated: all is looked at again. */
  forget(): void;
  close(): Promise<void>;
}

export function createChangedServers({ source, pins, log }: ChangedServersOptions): ChangedServers {
  const looks = new Map<string, { sentence?: string; readonly done: Promise<void> }>();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const stopListening = source.onToolsChanged((server) => looks.delete(server));

  return {
    used(server) {
      if (looks.has(server) || closing.signal.aborted) return;
      const done = look(server)
        .then((sentence) => {
          const own = looks.get(server);
          if (own?.done === done) own.sentence = sentence;
        })
        .catch((error: unknown) => {
          if (looks.get(server)?.done === done) looks.delete(server);
          log.debug('a server could not be compared with its wrappers', { server, error });
        })
        .finally(() => underWay.delete(done));
      looks.set(server, { done });
      underWay.add(done);
    },
    sentences: (servers) => [...servers].flatMap((server) => looks.get(server)?.sentence ?? []),
    forget: () => looks.clear(),
    async close() {
      stopListening();
      closing.abort();
      await Promise.all(underWay);
    },
  };

  async function look(server: string): Promise<string | undefined> {
    const pinned = await pins();
    if (pinned.tools(server) === undefined) return undefined;
    const { signal } = closing;
    const listed = await source.list(server, { signal });
    const { tools } = listed.isRemembered ? await source.list(server, { fresh: true, signal }) : listed;
    const changes = pinned.changes(server, tools);
    if (changes.length === 0) return undefined;
    log.warn('a server has other tools than its wrappers', { server, changes: changes.length });
    return sentenceOn(server, changes);
  }
}

function sentenceOn(server: string, changes: readonly ToolChange[]): string {
  const kinds = (['changed', 'removed', 'added'] as const).flatMap((kind) => {
    const names = changes.filter(({ change }) => change === kind).map(({ tool }) => plainText(tool, 60));
    if (names.length === 0) return [];
    const beyond = names.length > 5 ? ` and ${names.length - 5} more` : '';
    return [`${kind} ${names.slice(0, 5).join(', ')}${beyond}`];
  });
  return `The tools of ${plainText(server, 100)} are not those that its wrappers were generated from: ${kinds.join('; ')}. Look at them, then generate anew.`;
}
