import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from '../expect/json.js';
import { type AnswerValues, isIdentifier, valuesOf } from './values-found.js';
import type { CaseInput } from './writer.js';

export type CaptureInput = NonNullable<CaseInput['capture']>[string];

/** A value that one answer gave and later input held. */
export interface Captured<Source> {
  readonly value: string | number;
  readonly name: string;
  readonly capture: CaptureInput;
  /** Whose answer it was. */
  readonly source: Source;
}

/** Follows values from answers into later input. */
export interface Captures<Source> {
  /** Told of all that the client sends, before its answer. */
  noteInput(input: JsonValue): void;
  noteAnswer(source: Source, prefix: string, result: JsonObject): void;
  readonly all: readonly Captured<Source>[];
}

interface Heard<Source> {
  readonly source: Source;
  readonly prefix: string;
  readonly values: AnswerValues;
  /** What the client had said by then did not come from this answer. */
  readonly said: number;
}

const mostAnswers = 100;
const mostSaid = 20_000;
const mostScalars = 200;
const mostCaptured = 500;
const reserved: ReadonlySet<string> = new Set(['temp', 'suite_folder']);

export function createCaptures<Source>(): Captures<Source> {
  const heard: Heard<Source>[] = [];
  const said = new Map<string | number, number>();
  const captured = new Map<string | number, Captured<Source>>();
  const names = new Set<string>(reserved);
  let inputs = 0;

  return {
    get all() {
      return [...captured.values()];
    },
    noteInput(input) {
      const scalars = scalarsOf(input);
      for (const scalar of scalars) lookFor(scalar);
      inputs += 1;
      for (const scalar of scalars) if (!said.has(scalar) && said.size < mostSaid) said.set(scalar, inputs);
    },
    noteAnswer(source, prefix, result) {
      heard.unshift({ source, prefix, values: valuesOf(result), said: inputs });
      if (heard.length > mostAnswers) heard.pop();
    },
  };

  function lookFor(scalar: string | number): void {
    if (isIdentifier(scalar) && capture(scalar)) return;
    if (typeof scalar !== 'string') return;
    for (const { values } of heard) {
      const [part] = values.within(scalar);
      if (part !== undefined && capture(part)) return;
    }
  }

  function capture(value: string | number): boolean {
    if (captured.has(value)) return true;
    const firstSaid = said.get(value) ?? Number.POSITIVE_INFINITY;
    for (const { source, prefix, values, said: saidByThen } of heard) {
      const found = firstSaid > saidByThen && captured.size < mostCaptured ? values.find(value) : undefined;
      if (!found) continue;
      const name = freeName(`${prefix}_${found.key ?? 'value'}`);
      captured.set(value, { value, name, capture: found.capture, source });
      return true;
    }
    return false;
  }

  function freeName(wanted: string): string {
    const form =
      wanted
        .replace(/[^A-Za-z0-9]+/g, '_')
        .slice(-60)
        .replace(/^[_\d]+|_+$/g, '') || 'value';
    let name = form;
    for (let number = 2; names.has(name); number += 1) name = `${form}_${number}`;
    names.add(name);
    return name;
  }
}

function scalarsOf(input: JsonValue): (string | number)[] {
  const found: (string | number)[] = [];
  visit(input);
  return found;

  function visit(value: JsonValue): void {
    if (found.length >= mostScalars) return;
    if (typeof value === 'string' || typeof value === 'number') found.push(value);
    else if (isList(value)) value.forEach(visit);
    else if (isJsonObject(value)) Object.values(value).forEach(visit);
  }
}
