import type { Exchange } from '../../testedserver.js';
import type { JsonObject, Tool } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';
import { answerOf, dataOf, textOfOutcome } from './answer.js';
import { checkAnswered, checkAsks } from './asks.js';
import { checkLatency, checkMemory } from './budgets.js';
import { checkContent } from './content.js';
import { checkError, noAnswer, saysError } from './error.js';
import { checkFields } from './fields.js';
import { type Action, checkForm, type Listed } from './form.js';
import { checkLeftOut } from './left-out.js';
import { checkLogs, checkProgress, checkProgressIncreases } from './notifications.js';
import { checkNotifications } from './other-notifications.js';
import { checkSchema } from './schema.js';
import { checkerOf } from './schema-checker.js';
import { schemaOf } from './schema-source.js';
import { cut, harmless } from './shown.js';
import { checkSnapshot } from './snapshot.js';
import type { CaseSnapshots } from './snapshots.js';
import { checkText } from './text.js';
import { endedWithin } from './within-time.js';

export interface ExpectInput {
  readonly expect: Expect;
  readonly exchange: Exchange;
  readonly action: Action;
  /** Of a list, which one. */
  readonly listed?: Listed;
  /** As the server lists it; its outputSchema is held to. */
  readonly tool?: Tool;
  /** Of files that the suite names, by their paths as they are written. */
  readonly schemaTexts: ReadonlyMap<string, string>;
  readonly peakMemoryBytes?: number;
  readonly snapshots?: CaseSnapshots;
  /** Time for all patterns, paths and schemas together. */
  readonly limitMs?: number;
}

const defaultLimitMs = 2000;

/** One expectation; `what` is what a sentence calls it. */
interface Check {
  readonly kind: string;
  readonly what: string;
  readonly run: () => readonly Finding[];
}

/** What of the expected does not hold of an exchange. The answer of a failed request is not looked at any further. */
export async function checkExpectations(given: ExpectInput): Promise<readonly Finding[]> {
  const { expect, exchange, snapshots, peakMemoryBytes, limitMs = defaultLimitMs } = given;
  const { outcome } = exchange;
  if (outcome.kind === 'none') {
    return [noAnswer(outcome), ...(peakMemoryBytes === undefined ? [] : checkMemory(expect, peakMemoryBytes))];
  }
  const answer = answerOf(outcome);
  const ofAnswer = await checksOfAnswer(given, outcome, answer);
  const findings: Finding[] = [];
  let underWay: Check | undefined;
  const run = (check: Check) => {
    underWay = check;
    findings.push(...guarded(check));
  };
  const runAll = () => {
    run({ kind: 'error', what: 'the error', run: () => checkError(expect.error, outcome) });
    const isAsExpected = findings.length === 0;
    if (isAsExpected) for (const check of ofAnswer) run(check);
    for (const check of checksOfTheWay(given)) run(check);
    if (!isAsExpected) return;
    const { snapshot } = expect;
    const mayKeep = findings.length === 0;
    if (snapshot !== undefined) {
      run({ kind: 'snapshot', what: 'the snapshot', run: () => checkSnapshot(snapshot, answer, snapshots, mayKeep) });
    }
    snapshots?.settle();
  };
  if (!mayBeEndless(given)) runAll();
  else if (!endedWithin(limitMs, runAll)) findings.push(endless(underWay, limitMs));
  return findings;
}

type Answered = Exclude<Exchange['outcome'], { readonly kind: 'none' }>;

async function checksOfAnswer(given: ExpectInput, outcome: Answered, answer: JsonObject): Promise<readonly Check[]> {
  const { expect, action, listed } = given;
  const { text, content, fields } = expect;
  const checks: Check[] = [];
  const add = (kind: string, what: string, check: Check['run']) => checks.push({ kind, what, run: check });
  if (outcome.kind === 'result') {
    add('form', 'the form', () => checkForm(action, outcome.result, listed));
    if (action !== 'request') add('asks', 'what was asked', () => checkAnswered(expect, outcome.result));
  }
  if (text !== undefined) add('text', 'the text', () => checkText(text, textOfOutcome(outcome)));
  if (content !== undefined) add('content', 'the content', () => checkContent(content, answer));
  if (fields !== undefined) add('field', 'the fields', () => checkFields(fields, answer));
  return [...checks, ...(await checksOfData(given, answer)), ...(await checksOfOutput(given, outcome))];
}

async function checksOfData({ expect, schemaTexts }: ExpectInput, answer: JsonObject): Promise<readonly Check[]> {
  const { data: fields, schema } = expect;
  if (fields === undefined && schema === undefined) return [];
  const { data, problem } = dataOf(answer);
  if (data === undefined) {
    const message = `The answer has no data, as ${problem}.`;
    const kind = fields === undefined ? 'schema' : 'field';
    return [{ kind, what: 'the data', run: () => [{ kind, message }] }];
  }
  const where = data === answer ? '' : 'In the data, ';
  const checks: Check[] = [];
  if (fields !== undefined) {
    checks.push({ kind: 'field', what: 'the data', run: () => checkFields(fields, data, where) });
  }
  if (schema === undefined) return checks;
  const about = { kind: 'schema', subject: 'the schema', steps: [], where } as const;
  const read = await schemaOf(schema, schemaTexts);
  if ('problem' in read) {
    const finding = { kind: 'schema', message: read.problem };
    return [...checks, { kind: 'schema', what: 'the schema', run: () => [finding] }];
  }
  const checker = await checkerOf(read.value);
  return [...checks, { kind: 'schema', what: 'the schema', run: () => checkSchema(checker, data, about) }];
}

/** What a tool promises of its structured answers, unless it says that it failed. */
async function checksOfOutput({ expect, action, tool }: ExpectInput, outcome: Answered): Promise<readonly Check[]> {
  const { outputSchema } = tool ?? {};
  const isPromised = action === 'tool' && expect.output_schema && outputSchema !== undefined;
  if (!isPromised || saysError(outcome) || outcome.kind === 'error') return [];
  const { structuredContent } = outcome.result;
  const kind = 'output_schema';
  const what = 'the outputSchema of the tool';
  if (structuredContent === undefined) {
    const message = 'The tool has an outputSchema, but its answer has no structuredContent.';
    return [{ kind, what, run: () => [{ kind, message, path: '$.structuredContent' }] }];
  }
  const checker = await checkerOf(outputSchema);
  const about = { kind, subject: what, steps: ['structuredContent'] } as const;
  return [{ kind, what, run: () => checkSchema(checker, structuredContent, about) }];
}

/** What holds of the way to the answer, whatever it is. */
function checksOfTheWay({ expect, exchange, peakMemoryBytes }: ExpectInput): readonly Check[] {
  const { progress, logs, asks, notifications } = expect;
  const { events, ms } = exchange;
  const checks: Check[] = [
    { kind: 'progress', what: 'the progress', run: () => checkProgressIncreases(events) },
    { kind: 'events', what: 'what came beside the answer', run: () => checkLeftOut(expect, exchange) },
    { kind: 'latency', what: 'the latency', run: () => checkLatency(expect, ms) },
    { kind: 'memory', what: 'the memory', run: () => checkMemory(expect, peakMemoryBytes) },
  ];
  if (progress !== undefined) {
    checks.push({ kind: 'progress', what: 'the progress', run: () => checkProgress(progress, events) });
  }
  if (logs !== undefined) checks.push({ kind: 'logs', what: 'the logs', run: () => checkLogs(logs, events) });
  if (asks !== undefined) checks.push({ kind: 'asks', what: 'what was asked', run: () => checkAsks(asks, events) });
  if (notifications !== undefined) {
    const run = () => checkNotifications(notifications, events);
    checks.push({ kind: 'notifications', what: 'the notifications', run });
  }
  return checks;
}

/** Whether there are patterns, paths or schemas; most calls under load have none, and watching costs more than they do. */
function mayBeEndless({ expect, tool }: ExpectInput): boolean {
  const { error, text, fields, data, schema, progress, logs, asks, notifications, snapshot } = expect;
  const hasPatterns = [error, text, progress, logs, asks, notifications].some((each) => typeof each === 'object');
  return hasPatterns || [fields, data, schema, snapshot, tool?.outputSchema].some((each) => each !== undefined);
}

function guarded({ kind, what, run }: Check): readonly Finding[] {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return [{ kind, message: `The answer is nested too deeply to look at ${what}.` }];
    const reason = error instanceof Error ? error.message : String(error);
    return [{ kind, message: `It was not possible to look at ${what}: ${harmless(cut(reason))}.` }];
  }
}

function endless(check: Check | undefined, limitMs: number): Finding {
  const { kind, what } = check ?? { kind: 'answer', what: 'the answer' };
  return { kind, message: `Checking ${what} took longer than ${limitMs} ms and was given up.` };
}
