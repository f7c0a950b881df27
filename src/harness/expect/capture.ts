import type { Exchange } from '../../testedserver.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { CaptureSpec } from '../suite/schema.js';
import { answerOf, dataOf, textOfOutcome } from './answer.js';
import { patternOf } from './patterns.js';
import { find } from './query.js';
import type { Readable } from './remembered.js';
import { cut, shown } from './shown.js';
import { endedWithin } from './within-time.js';

export interface Captured {
  readonly values: Record<string, JsonValue>;
  readonly findings: Finding[];
}

type Way = CaptureSpec[string];

/** Values of an answer by their names; what is not found is a finding. */
export function captureValues(capture: CaptureSpec, exchange: Exchange, limitMs = 2000): Captured {
  const captured: [string, JsonValue][] = [];
  const findings: Finding[] = [];
  let underWay = '';
  const ended = endedWithin(limitMs, () => {
    for (const [name, way] of Object.entries(capture)) {
      underWay = name;
      const found = guarded(() => captureOne(way, exchange));
      if ('problem' in found) findings.push(notCaptured(name, found.problem));
      else captured.push([name, found.value]);
    }
  });
  if (!ended) findings.push(notCaptured(underWay, `looking for it took longer than ${limitMs} ms`));
  return { values: Object.fromEntries(captured), findings };
}

function guarded(capture: () => Readable<JsonValue>): Readable<JsonValue> {
  try {
    return capture();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: 'the answer is nested too deeply' };
  }
}

function notCaptured(name: string, problem: string): Finding {
  return { kind: 'capture', message: `${name} cannot be captured: ${problem.replace(/\.$/, '')}.` };
}

function captureOne(way: Way, { outcome }: Exchange): Readable<JsonValue> {
  if (outcome.kind === 'none') return { problem: 'there was no answer' };
  if (typeof way === 'string') return captureAt(way, answerOf(outcome), 'the answer');
  if ('text' in way) return captureText(way.text, textOfOutcome(outcome));
  const { data, problem } = dataOf(answerOf(outcome));
  if (data === undefined) return { problem: `the answer has no data, as ${problem}` };
  return captureAt(way.data, data, 'the data of the answer');
}

/** Several values become a list of them. */
function captureAt(path: string, root: JsonValue | JsonObject, where: string): Readable<JsonValue> {
  const found = find(path, root);
  if ('problem' in found) return found;
  const [first, ...others] = found.value.map(({ value }) => value);
  if (first === undefined) return { problem: `${cut(path)} finds nothing in ${where}` };
  return { value: others.length === 0 ? first : [first, ...others] };
}

/** The first group, or all that the pattern matches where it has none. */
function captureText(pattern: string, text: string): Readable<JsonValue> {
  const expression = patternOf(pattern);
  if ('problem' in expression) return expression;
  const match = expression.value.exec(text);
  if (match === null) return { problem: `/${cut(pattern)}/ does not match the text ${shown(text)}` };
  const taken = match.length > 1 ? match[1] : match[0];
  if (taken === undefined) return { problem: `the first group of /${cut(pattern)}/ takes no part in what it matches` };
  return { value: taken };
}
