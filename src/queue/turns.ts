export interface Turn {
  readonly priority: number;
  readonly caller: string;
}

/** Who waits, and whose turn is next: higher priority first, then callers in turn, then first come. */
export interface Turns<T extends Turn> {
  readonly size: number;
  /** Gives back what takes the entry out again. */
  add(entry: T): () => void;
  /** Whose turn it is, among those that are accepted. */
  next(accepts?: (turn: Turn) => boolean): T | undefined;
  /** All of them, in the order that they would go if nobody else came. */
  inOrder(): Iterable<T>;
  /** How many would go before such a turn, at the most, if nobody else came. */
  ahead(turn: Turn): number;
}

interface Line<T> {
  readonly caller: string;
  readonly level: Level<T>;
  readonly entries: Chain<T>;
  place: Link<Line<T>> | undefined;
}

interface Level<T> {
  readonly priority: number;
  readonly lines: Map<string, Line<T>>;
  readonly order: Chain<Line<T>>;
  size: number;
}

export function createTurns<T extends Turn>(): Turns<T> {
  const levels: Level<T>[] = [];
  let size = 0;

  return {
    get size() {
      return size;
    },
    add(entry) {
      const line = lineOf(levelOf(levels, entry.priority), entry.caller);
      const link = line.entries.push(entry);
      count(line, 1);
      return () => {
        if (!line.entries.remove(link)) return;
        count(line, -1);
        if (line.entries.size === 0) leave(line);
      };
    },
    next(accepts) {
      const line = accepts ? firstAccepted(levels, accepts) : levels[0]?.order.first;
      const entry = line?.entries.shift();
      if (!line || !entry) return undefined;
      count(line, -1);
      if (line.entries.size === 0) leave(line);
      else goToTheEnd(line);
      return entry;
    },
    *inOrder() {
      for (const level of levels) yield* roundByRound([...level.order].map(({ entries }) => [...entries]));
    },
    ahead({ priority, caller }) {
      let before = 0;
      for (const level of levels) {
        if (level.priority > priority) before += level.size;
        else if (level.priority === priority) before += aheadInLevel(level, caller);
      }
      return before;
    },
  };

  function count(line: Line<T>, change: number): void {
    line.level.size += change;
    size += change;
  }

  function leave(line: Line<T>): void {
    const { level, place } = line;
    if (place) level.order.remove(place);
    level.lines.delete(line.caller);
    if (level.lines.size === 0) levels.splice(levels.indexOf(level), 1);
  }
}

function firstAccepted<T>(levels: readonly Level<T>[], accepts: (turn: Turn) => boolean): Line<T> | undefined {
  for (const { priority, order } of levels) {
    for (const line of order) if (accepts({ priority, caller: line.caller })) return line;
  }
  return undefined;
}

function goToTheEnd<T>(line: Line<T>): void {
  const { order } = line.level;
  if (line.place) order.remove(line.place);
  line.place = order.push(line);
}

function* roundByRound<T>(lines: readonly (readonly T[])[]): Iterable<T> {
  for (let round = 0, left = lines; left.length > 0; round += 1) {
    left = left.filter(({ length }) => length > round);
    for (const line of left) yield* line.slice(round, round + 1);
  }
}

function levelOf<T>(levels: Level<T>[], priority: number): Level<T> {
  const index = levels.findIndex((level) => level.priority <= priority);
  const found = levels[index];
  if (found?.priority === priority) return found;
  const level: Level<T> = { priority, lines: new Map(), order: new Chain(), size: 0 };
  levels.splice(index === -1 ? levels.length : index, 0, level);
  return level;
}

function lineOf<T>(level: Level<T>, caller: string): Line<T> {
  const found = level.lines.get(caller);
  if (found) return found;
  const line: Line<T> = { caller, level, entries: new Chain(), place: undefined };
  line.place = level.order.push(line);
  level.lines.set(caller, line);
  return line;
}

function aheadInLevel<T>(level: Level<T>, caller: string): number {
  const own = level.lines.get(caller)?.entries.size ?? 0;
  let before = own;
  for (const line of level.lines.values()) {
    if (line.caller !== caller) before += Math.min(line.entries.size, own + 1);
  }
  return before;
}

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
  linked: boolean;
}

/** A linked list: taking one out of the middle costs the same as taking the first. */
class Chain<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  size = 0;

  push(value: T): Link<T> {
    const link: Link<T> = { value, before: this.#last, after: undefined, linked: true };
    if (this.#last) this.#last.after = link;
    else this.#first = link;
    this.#last = link;
    this.size += 1;
    return link;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let link = this.#first; link; link = link.after) yield link.value;
  }

  shift(): T | undefined {
    const link = this.#first;
    if (link) this.remove(link);
    return link?.value;
  }

  remove(link: Link<T>): boolean {
    if (!link.linked) return false;
    if (link.before) link.before.after = link.after;
    else this.#first = link.after;
    if (link.after) link.after.before = link.before;
    else this.#last = link.before;
    link.linked = false;
    this.size -= 1;
    return true;
  }
}
