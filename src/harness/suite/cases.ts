import { type PlacedText, shownName } from '../../configfile/place.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import type { SuiteCase } from '../suite.js';
import type { Mistakes } from './mistakes.js';
import { referencesIn } from './references.js';
import type { CaseSpec, SuiteDocument } from './schema.js';
import { fillValues, UnknownValue, type Values } from './values.js';

/** A case of the file, once per row. Which come before it is not known yet. */
export type RowCase = Omit<SuiteCase, 'after'>;

/** The cases of each case of the file: one, or one per row of `each`. */
export function casesOf(
  { cases, variables }: SuiteDocument,
  text: PlacedText,
  mistakes: Mistakes,
): readonly (readonly RowCase[])[] {
  const expanded = cases.map((spec, index): readonly RowCase[] => {
    const place = text.placeOf(['cases', index]);
    const named = namesOf(spec, variables, (reason) => mistakes.add(['cases', index, 'name'], reason));
    return named.map(({ name, id, row }) => ({ id, spec: { ...spec, name }, place, ...(row && { row }) }));
  });
  refuseRepeated(cases, expanded, text, mistakes);
  return expanded;
}

interface Named {
  readonly name: string;
  readonly id: string;
  readonly row?: JsonObject;
}

function namesOf(spec: CaseSpec, variables: Values, wrong: (reason: string) => void): readonly Named[] {
  if (spec.each === undefined) {
    const name = filledName(spec.name, variables, wrong);
    return [{ name, id: name }];
  }
  const names = spec.each.map((row) => filledName(spec.name, { ...variables, ...row }, wrong));
  const ids = idsOf(names, spec.each, referencesIn(spec.name).length > 0);
  return spec.each.map((row, index) => ({ name: names[index] ?? spec.name, id: ids[index] ?? spec.name, row }));
}

function filledName(name: string, values: Values, wrong: (reason: string) => void): string {
  try {
    return oneLine(asText(fillValues(name, values)), longestName);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    wrong(`${error.message}; a name is made of variables and columns of each alone`);
    return name;
  }
}

const longestName = 300;
const longestLabel = 60;

/** Names that differ are enough; otherwise what the row has, where that is short, or its number. */
function idsOf(names: readonly string[], rows: readonly JsonObject[], namesTell: boolean): readonly string[] {
  if (namesTell && areDistinct(names)) return names;
  const labels = rows.map(labelOf);
  const areShort = labels.every((label) => label !== '' && label.length <= longestLabel);
  const tell = areShort && areDistinct(labels) ? labels : rows.map((_, index) => String(index + 1));
  return names.map((name, index) => `${name} [${tell[index]}]`);
}

function labelOf(row: JsonObject): string {
  const parts = Object.entries(row).map(([column, value]) => `${column}=${asText(value)}`);
  return oneLine(parts.join(', '), longestLabel + 1);
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

function refuseRepeated(
  specs: readonly CaseSpec[],
  expanded: readonly (readonly RowCase[])[],
  text: PlacedText,
  mistakes: Mistakes,
): void {
  const owners = new Map<string, number>();
  for (const [index, rows] of expanded.entries()) {
    const names = new Set([specs[index]?.name ?? '', ...rows.map(({ id }) => id)]);
    const taken = [...names].find((name) => owners.has(name));
    if (taken !== undefined) {
      const { line } = text.placeOf(['cases', owners.get(taken) ?? 0, 'name']);
      mistakes.add(['cases', index, 'name'], `the case in line ${line} is called "${shownName(taken)}" already`);
    }
    for (const name of names) if (!owners.has(name)) owners.set(name, index);
  }
}
