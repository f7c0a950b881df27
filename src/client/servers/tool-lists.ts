import type { Tool } from '../../toolbox.js';
import type { ListedTools, ListOptions } from '../../toolsource.js';
import { within } from '../deadline.js';
import type { ToolList } from '../listing.js';
import type { RememberedList } from './list-memory.js';

/** What a server answered, with what it says of itself. */
export interface AskedList extends ToolList {
  readonly title?: string;
  readonly instructions?: string;
}

export interface ToolListsOptions {
  ask(): Promise<AskedList>;
  recall(): Promise<RememberedList | undefined>;
  remember(list: RememberedList): Promise<void>;
  forget(): Promise<void>;
  /** Told when the tools are others than were known. */
  readonly onChanged: () => void;
  readonly now?: () => number;
}

/** The list of one server: the newest that is known, for as long as it can be believed. */
export interface ToolLists {
  list(options?: ListOptions): Promise<ListedTools>;
  /** What is known without asking, however old. */
  known(): Promise<ListedTools | undefined>;
  /** The server says that its tools are others now. */
  changed(): void;
  /** A process of the server came up, which may have other tools than the one before. */
  started(): void;
  /** When nothing is being asked or written any more. */
  settled(): Promise<void>;
}

/** Where a server does not say how long its list holds. A longer time than this is not believed. */
export const longestAgeMs = 24 * 60 * 60 * 1000;

const mostAsks = 3;

interface Held {
  readonly list: ListedTools;
  readonly expiresAt: number;
}

export function createToolLists(options: ToolListsOptions): ToolLists {
  const { now = Date.now } = options;
  let current: Held | undefined;
  let recalling: Promise<void> | undefined;
  let asking: Promise<ListedTools> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let changes = 0;

  return {
    async list({ fresh = false, signal } = {}) {
      const held = fresh ? undefined : await holding();
      return held ?? within(undefined, () => ask(), signal);
    },
    known,
    changed() {
      changes += 1;
      drop();
    },
    started() {
      if (current && !asking) ask().catch(() => {});
    },
    async settled() {
      await asking?.catch(() => {});
      await writing;
    },
  };

  async function holding(): Promise<ListedTools | undefined> {
    await known();
    return current && current.expiresAt > now() ? current.list : undefined;
  }

  async function known(): Promise<ListedTools | undefined> {
    recalling ??= recall();
    await recalling;
    return current?.list;
  }

  async function recall(): Promise<void> {
    const since = changes;
    const found = await options.recall().catch(() => undefined);
    if (!found || current || since !== changes) return;
    const { expiresAt, ...list } = found;
    current = { list: { ...list, isRemembered: true }, expiresAt };
  }

  /** Several who ask at once share one answer. */
  function ask(): Promise<ListedTools> {
    asking ??= askUntilItHolds().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  /** Some servers say that their tools changed while they are asked for them, as many do that come up. */
  async function askUntilItHolds(): Promise<ListedTools> {
    await known();
    for (let asks = 1; ; asks++) {
      const askedAt = now();
      const since = changes;
      const { ttlMs = longestAgeMs, ...asked } = await options.ask();
      if (since === changes) return take(asked, askedAt + Math.min(ttlMs, longestAgeMs));
      if (asks === mostAsks) return { ...asked, isRemembered: false };
    }
  }

  function take(asked: AskedList, expiresAt: number): ListedTools {
    const list: ListedTools = { ...asked, isRemembered: false };
    const before = current;
    current = { list, expiresAt };
    write(() => (expiresAt > now() ? options.remember({ ...asked, expiresAt }) : options.forget()));
    if (before && !areSame(before.list.tools, list.tools)) options.onChanged();
    return list;
  }

  /** A server that says so again and again is heard once for each list that it gave. */
  function drop(): void {
    const wasKnown = current !== undefined;
    current = undefined;
    recalling = Promise.resolve();
    write(options.forget);
    if (wasKnown) options.onChanged();
  }

  function write(work: () => Promise<void>): void {
    writing = writing.then(work).catch(() => {});
  }
}

function areSame(one: readonly Tool[], other: readonly Tool[]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
