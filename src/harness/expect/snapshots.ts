import type { JsonValue } from '../../toolbox.js';
import { isEqual } from './equal.js';
import { withTexts } from './json.js';
import { readSnapshots, snapshotFileOf, writeSnapshots } from './snapshot-file.js';

/** The answers that were kept for the cases of one suite. */
export interface Snapshots {
  of(caseId: string): CaseSnapshots;
  /** `complete`: every case was run, so that what none of them used is not used at all; an update removes it. */
  save(options?: { readonly complete?: boolean }): Promise<SavedSnapshots>;
}

export interface SavedSnapshots {
  readonly written: number;
  readonly updated: number;
  readonly unused: readonly string[];
}

export interface CaseSnapshots {
  /** Compares an answer with the one that was kept under the name; a new one is kept where it may be. */
  compare(name: string, answer: JsonValue, options: CompareOptions): SnapshotVerdict;
  /** The case got as far as its snapshots: what it did not compare with is not used by it. */
  settle(): void;
}

export interface CompareOptions {
  /** What is left out on both sides. */
  readonly without: (value: JsonValue) => JsonValue;
  /** Whether the answer is good enough to be kept. */
  readonly mayKeep: boolean;
}

export type SnapshotVerdict =
  | { readonly kind: 'same' | 'kept' | 'left' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'differs'; readonly kept: JsonValue; readonly now: JsonValue };

export interface SnapshotOptions {
  /** The suite, whose snapshots stand in a folder beside it. */
  readonly file: string;
  readonly folder?: string;
  readonly update?: boolean;
  /** A snapshot that is not there is a failure, and not written. */
  readonly refuseNew?: boolean;
  /** Takes secrets out of texts: what is kept goes into a repository. */
  readonly redact?: (text: string) => string;
}

export async function openSnapshots(options: SnapshotOptions): Promise<Snapshots> {
  const { file, folder, update, refuseNew, redact } = options;
  const path = snapshotFileOf(file, folder);
  const kept = new Map([...(await readSnapshots(path))].map(([id, names]) => [id, new Map(names)]));
  const opened = new Set<string>();
  const settled = new Set<string>();
  const used = new Set<string>();
  const written = new Set<string>();
  const updated = new Set<string>();

  return { of, save };

  function of(caseId: string): CaseSnapshots {
    opened.add(caseId);
    return { compare: (name, answer, options) => compare(caseId, name, answer, options), settle };

    function settle(): void {
      settled.add(caseId);
    }
  }

  function compare(id: string, name: string, answer: JsonValue, options: CompareOptions): SnapshotVerdict {
    const key = keyOf(id, name);
    used.add(key);
    const known = kept.get(id)?.get(name);
    const shown = (value: JsonValue) => options.without(redact ? withTexts(value, redact) : value);
    const now = shown(answer);
    if (known === undefined) return keepNew(id, name, now, options.mayKeep);
    const before = shown(known);
    if (isEqual(before, now)) return { kind: 'same' };
    // what this very run kept is not updated again: its answers differ among themselves
    if (!update || written.has(key) || updated.has(key)) return { kind: 'differs', kept: before, now };
    if (!options.mayKeep) return { kind: 'left' };
    updated.add(key);
    keep(id, name, now);
    return { kind: 'kept' };
  }

  function keepNew(id: string, name: string, answer: JsonValue, mayKeep: boolean): SnapshotVerdict {
    if (refuseNew && !update) return { kind: 'missing' };
    if (!mayKeep) return { kind: 'left' };
    written.add(keyOf(id, name));
    keep(id, name, answer);
    return { kind: 'kept' };
  }

  function keep(id: string, name: string, answer: JsonValue): void {
    const names = kept.get(id) ?? new Map<string, JsonValue>();
    kept.set(id, names.set(name, answer));
  }

  async function save({ complete = false } = {}): Promise<SavedSnapshots> {
    const unused = complete ? findUnused() : [];
    if (update) for (const { id, name } of unused) forget(id, name);
    const isChanged = written.size > 0 || updated.size > 0 || (update && unused.length > 0);
    if (isChanged) await writeSnapshots(path, kept);
    return {
      written: written.size,
      updated: updated.size,
      unused: unused.map(({ id, name }) => (name === unnamed ? id : `${id}: ${name}`)),
    };
  }

  /** A case that did not get as far as its snapshots may still need them. */
  function findUnused(): readonly { readonly id: string; readonly name: string }[] {
    return [...kept].flatMap(([id, names]) => {
      if (opened.has(id) && !settled.has(id)) return [];
      return [...names.keys()].filter((name) => !used.has(keyOf(id, name))).map((name) => ({ id, name }));
    });
  }

  function forget(id: string, name: string): void {
    const names = kept.get(id);
    names?.delete(name);
    if (names?.size === 0) kept.delete(id);
  }
}

/** The name of a snapshot that the case gives none. */
export const unnamed = 'answer';

function keyOf(id: string, name: string): string {
  return JSON.stringify([id, name]);
}
