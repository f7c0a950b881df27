import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';
import { differenceOf } from './equal.js';
import { isList } from './json.js';
import { pathText, type Step } from './path-text.js';
import { find } from './query.js';
import { bounded, cut, shown } from './shown.js';
import { type CaseSnapshots, unnamed } from './snapshots.js';

const ignored = '<ignored>';
const largestAnswer = 1024 * 1024;

/** Holds an answer against the one that was kept. `mayKeep`: nothing else is wrong with it. */
export function checkSnapshot(
  expected: NonNullable<Expect['snapshot']>,
  answer: JsonObject,
  snapshots: CaseSnapshots | undefined,
  mayKeep: boolean,
): readonly Finding[] {
  const { name, ignore } = settingsOf(expected);
  const finding = (message: string): readonly Finding[] => [{ kind: 'snapshot', message }];
  if (snapshots === undefined) {
    return finding('Snapshots are kept of the answers of cases, and not of steps and calls under load.');
  }
  const problems = ignore.flatMap((path) => problemIn(find(path, null)));
  if (problems.length > 0) return problems.flatMap((problem) => finding(`Under ignore, ${problem}`));
  const size = JSON.stringify(answer).length;
  if (size > largestAnswer) {
    return finding(`The answer has ${size} characters of JSON; one of at most ${largestAnswer} is kept as a snapshot.`);
  }
  const without = (value: JsonValue) => withoutIgnored(normal(value), ignore);
  const verdict = snapshots.compare(name, answer, { without, mayKeep });
  if (verdict.kind === 'missing') {
    return finding(`There is no snapshot${called(name)}, and new ones are not written in this run.`);
  }
  return verdict.kind === 'differs' ? [differing(name, verdict.kept, verdict.now)] : [];
}

function settingsOf(expected: NonNullable<Expect['snapshot']>): { name: string; ignore: readonly string[] } {
  if (expected === true) return { name: unnamed, ignore: [] };
  if (typeof expected === 'string') return { name: expected, ignore: [] };
  return { name: expected.name ?? unnamed, ignore: expected.ignore };
}

function differing(name: string, kept: JsonValue, now: JsonValue): Finding {
  const steps = differenceOf(kept, now) ?? [];
  const path = pathText(steps);
  const [was, is] = [valueAt(kept, steps), valueAt(now, steps)];
  return {
    kind: 'snapshot',
    path,
    message: `The answer is not the snapshot${called(name)}: ${cut(path)} is ${word(is)}; kept was ${word(was)}. If the new one is right, run with --update-snapshots.`,
    expected: bounded(kept),
    actual: bounded(now),
  };
}

function called(name: string): string {
  return name === unnamed ? '' : ` ${shown(name)}`;
}

function word(value: JsonValue | undefined): string {
  return value === undefined ? 'not there' : shown(value);
}

function problemIn(found: ReturnType<typeof find>): readonly string[] {
  return 'problem' in found ? [found.problem] : [];
}

/** As it comes back from a file: with sorted keys, and null for numbers that JSON has no word for. */
function normal(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(normal);
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, normal(value[key] ?? null)]));
  }
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function withoutIgnored(value: JsonValue, paths: readonly string[]): JsonValue {
  return paths.reduce<JsonValue>((kept, path) => {
    const found = find(path, kept);
    if ('problem' in found) return kept;
    return found.value.reduce<JsonValue>((each, { steps }) => replacedAt(each, steps), kept);
  }, value);
}

/** A copy with another value at a place, if it is still there: it may be gone with a larger one that holds it. */
function replacedAt(value: JsonValue, [step, ...rest]: readonly Step[]): JsonValue {
  if (step === undefined) return ignored;
  if (typeof step === 'number') {
    const inside = isList(value) ? value[step] : undefined;
    return isList(value) && inside !== undefined ? value.with(step, replacedAt(inside, rest)) : value;
  }
  const inside = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (!isJsonObject(value) || inside === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === step ? replacedAt(inside, rest) : each]),
  );
}

function valueAt(root: JsonValue, steps: readonly Step[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((value, step) => {
    if (typeof step === 'number') return isList(value) ? value[step] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, root);
}
