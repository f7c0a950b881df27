import { CallerError } from '../../errors.js';
import type { Check } from './results.js';

/** What is known to fail: whole scenarios, and single checks of others. */
export interface Baseline {
  readonly scenarios: ReadonlySet<string>;
  readonly checks: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Judgement {
  /** What failed and was not known to. */
  readonly failed: readonly Check[];
  readonly known: readonly Check[];
  /** Entries of the baseline that hold no longer. */
  readonly stale: readonly string[];
}

const form = 'a list of scenarios, or a key "server" with such a list, as the official suite takes it';

/** The entries of a suite, or of the file that it names. Throws INVALID_SUITE with what is wrong. */
export async function readBaseline(
  given: string | readonly string[] | undefined,
  texts: ReadonlyMap<string, string>,
): Promise<Baseline> {
  if (typeof given !== 'string') return baselineOf(given ?? [], 'expected_failures');
  const text = texts.get(given);
  if (text === undefined) throw invalid(given, 'cannot be read');
  const { parse } = await import('yaml');
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw invalid(given, `is no YAML: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  return baselineOf(entriesOf(document, given), given);
}

/** The rule of the official suite: what is known to fail and passes makes the list wrong. */
export function judge(scenario: string, checks: readonly Check[], baseline: Baseline): Judgement {
  const worst = worstOfEach(checks);
  const bad = worst.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (baseline.scenarios.has(scenario)) {
    return { failed: [], known: bad, stale: bad.length === 0 ? [scenario] : [] };
  }
  const known = baseline.checks.get(scenario) ?? new Set<string>();
  const passed = new Set(worst.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id));
  return {
    failed: bad.filter(({ id, status }) => status === 'FAILURE' && !known.has(id)),
    known: bad.filter(({ id }) => known.has(id)),
    stale: [...known].filter((id) => passed.has(id)).map((id) => `${scenario}:${id}`),
  };
}

export function scenariosIn({ scenarios, checks }: Baseline): readonly string[] {
  return [...scenarios, ...checks.keys()];
}

const badness = ['INFO', 'SKIPPED', 'SUCCESS', 'WARNING', 'FAILURE'];

/** A check may be made several times; it holds only where it always did. */
function worstOfEach(checks: readonly Check[]): readonly Check[] {
  const worst = new Map<string, Check>();
  for (const check of checks) {
    const before = worst.get(check.id);
    if (!before || badness.indexOf(check.status) > badness.indexOf(before.status)) worst.set(check.id, check);
  }
  return [...worst.values()];
}

function entriesOf(document: unknown, file: string): readonly unknown[] {
  if (document === null || document === undefined) return [];
  if (Array.isArray(document)) return document;
  const server: unknown = typeof document === 'object' ? (Reflect.get(document, 'server') ?? []) : undefined;
  if (Array.isArray(server)) return server;
  throw invalid(file, `is not ${form}`);
}

function baselineOf(entries: readonly unknown[], where: string): Baseline {
  const scenarios = new Set<string>();
  const checks = new Map<string, Set<string>>();
  for (const entry of entries) {
    const [, scenario, check] =
      typeof entry === 'string' ? (/^([^\s:]+)(?::([^\s:]+))?$/.exec(entry.trim()) ?? []) : [];
    if (scenario === undefined) {
      const found = JSON.stringify(entry)?.slice(0, 100);
      throw invalid(where, `has the entry ${found}; write scenario or scenario:check, without a space`);
    }
    if (check === undefined) scenarios.add(scenario);
    else checks.set(scenario, (checks.get(scenario) ?? new Set()).add(check));
  }
  return { scenarios, checks };
}

function invalid(where: string, what: string, cause?: unknown): CallerError {
  return new CallerError('INVALID_SUITE', `The expected failures: ${where} ${what}`, { file: where }, { cause });
}
