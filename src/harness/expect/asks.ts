import type { TimedEvent } from '../../testedserver.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect, ExpectedAsk } from '../suite/schema-expect.js';
import { checkFields } from './fields.js';
import { bounded, cut, shown } from './shown.js';

type Ask = Extract<TimedEvent, { readonly type: 'ask' }>;

const shortNames: ReadonlyMap<string, string> = new Map([
  ['elicitation', 'elicitation/create'],
  ['sampling', 'sampling/createMessage'],
  ['roots', 'roots/list'],
]);
const toldAtMost = 20;

/** What the server asked its client is all that was expected, in that order. */
export function checkAsks(expected: NonNullable<Expect['asks']>, events: readonly TimedEvent[]): readonly Finding[] {
  const asks = events.filter((event) => event.type === 'ask');
  const wanted = (expected || []).map(wantedOf);
  const methods = wanted.map(({ method }) => method);
  const isSame = asks.length === methods.length && asks.every(({ method }, index) => method === methods[index]);
  if (!isSame) return [otherAsks(methods, asks)];
  return asks.flatMap(({ method, params }, index) => {
    const where = asks.length === 1 ? `In ${method}, ` : `In ${method} (${index + 1} of ${asks.length}), `;
    return checkFields(wanted[index]?.fields ?? {}, params, where).map((finding) => ({ ...finding, kind: 'asks' }));
  });
}

/** A result that only asks is none: whoever expects it says so. */
export function checkAnswered({ asks, fields }: Expect, result: JsonObject): readonly Finding[] {
  if (result.resultType !== 'input_required' || asks !== undefined || fields !== undefined) return [];
  const { inputRequests } = result;
  const questions = isJsonObject(inputRequests) ? Object.values(inputRequests) : [];
  const methods = questions.flatMap((each) => (isJsonObject(each) ? [each.method ?? null] : [])).slice(0, toldAtMost);
  const what = methods.length === 0 ? 'for another try' : `for ${shown(methods)}`;
  const advice = 'say under client what is answered, or under asks that it is expected';
  const message = `The server still asks its client ${what}, and gave no result; ${advice}.`;
  return [{ kind: 'asks', message, actual: bounded(result) }];
}

function otherAsks(methods: readonly string[], asks: readonly Ask[]): Finding {
  const asked = asks.map(({ method }) => cut(method, 100));
  const actual = asked.slice(0, toldAtMost);
  const came = asked.length === 0 ? 'nothing' : shown(actual);
  const want = methods.length === 0 ? 'nothing' : shown(methods);
  return {
    kind: 'asks',
    message: `The server asked its client for ${came}; expected ${want}.`,
    expected: methods,
    actual: bounded(asked),
  };
}

function wantedOf(ask: ExpectedAsk): Exclude<ExpectedAsk, string> {
  const { method, ...rest } = typeof ask === 'string' ? { method: ask } : ask;
  return { ...rest, method: shortNames.get(method) ?? method };
}
