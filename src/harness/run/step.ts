import type { Exchange } from '../../testedserver.js';
import type { JsonObject, JsonValue, Tool } from '../../toolbox.js';
import { captureValues } from '../expect/capture.js';
import { saysError } from '../expect/error.js';
import { checkExpectations } from '../expect/expect.js';
import { filledExpect } from '../expect/filled.js';
import type { Finding, ValidatorReport } from '../report.js';
import type { StepSpec } from '../suite/schema.js';
import { type Expect, expectSchema, type WrittenExpect } from '../suite/schema-expect.js';
import { fillValues, UnknownValue } from '../suite/values.js';
import type { ValidatorContext } from '../validators.js';
import { withLateNotifications } from './late-notifications.js';
import { actionOf, type Request, requestOf, send, targetOf } from './request.js';
import type { Scene } from './scene.js';

/** What became of one request with all that belongs to it. */
export interface StepResult {
  readonly findings: readonly Finding[];
  readonly request: Request;
  readonly exchange?: Exchange;
  readonly validators: readonly ValidatorReport[];
  readonly values: Readonly<Record<string, JsonValue>>;
}

/** Validators before it, the request, what is expected of the answer, what is taken from it, validators after it. */
export async function performStep(step: StepSpec, scene: Scene): Promise<StepResult> {
  const done = {
    findings: [] as Finding[],
    validators: [] as ValidatorReport[],
    values: {} as Record<string, JsonValue>,
  };
  await validate('before', { request: filledAsFarAsPossible(step, scene) });
  const written = requestOf(step);
  if (done.findings.length > 0) return { ...done, request: written };
  let request: Request;
  let expect: Expect;
  try {
    request = { method: written.method, params: fill(written.params, scene) };
    expect = expectationsOf(step, scene);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    return { ...done, findings: [{ kind: 'value', message: error.message }], request: written };
  }
  const options = { timeoutMs: step.timeout ?? scene.timeoutMs, signal: scene.signal };
  const sendOnly = () => send(scene.server, step, request, options);
  const { notifications } = expect;
  const sendIt = notifications
    ? () => withLateNotifications(notifications, sendOnly, { ...options, server: scene.server })
    : sendOnly;
  const {
    value: { exchange, finding },
    bytes,
  } =
    expect.memory === undefined
      ? { value: await sendIt() }
      : await scene.figures.peakMemoryDuring(scene.server, sendIt);
  if (finding) done.findings.push(finding);
  await judge(exchange, expect, bytes);
  if (step.tool !== undefined) scene.figures.noteCall(targetOf(step, request), exchange.ms, done.findings.length > 0);
  if (exchange.outcome.kind !== 'none') await validate('after', { request, response: responseOf(exchange), exchange });
  return { ...done, request, exchange };

  async function judge(exchange: Exchange, expected: Expect, peakMemoryBytes: number | undefined): Promise<void> {
    const { outcome } = exchange;
    const tool = outcome.kind === 'result' && expected.output_schema ? await toolOf(step, request, scene) : undefined;
    const action = actionOf(step);
    const { snapshots } = scene;
    const schemaTexts = scene.suite.texts;
    const found = await checkExpectations({
      expect: expected,
      exchange,
      action,
      listed: step.list,
      tool,
      schemaTexts,
      peakMemoryBytes,
      snapshots,
    });
    done.findings.push(...(await explained(found, exchange, step, request, scene)));
    const isCalledFor = outcome.kind === 'result' || (outcome.kind === 'error' && expected.error !== false);
    if (step.capture === undefined || !isCalledFor) return;
    const { values, findings } = captureValues(step.capture, exchange);
    keep(values);
    done.findings.push(...findings);
  }

  async function validate(phase: 'before' | 'after', seen: Seen): Promise<void> {
    for (const spec of step.validate ?? []) {
      if (spec.when !== phase && spec.when !== 'both') continue;
      const validator = await scene.validatorOf(spec);
      const outcome = await validator.run(contextOf(step, scene, phase, seen), scene.signal);
      keep(outcome.values);
      done.findings.push(...outcome.findings);
      if (outcome.figures) scene.figures.noteValidator(outcome.figures);
      done.validators.push({
        name: validator.name,
        phase,
        passed: outcome.findings.length === 0,
        ...(outcome.message !== undefined && { message: outcome.message }),
        logs: outcome.logs,
        ...(outcome.figures && {
          wallMs: outcome.figures.wallMs,
          cpuMs: outcome.figures.cpuMs,
          peakMemoryBytes: outcome.figures.peakMemoryBytes,
        }),
      });
    }
  }

  function keep(values: Readonly<Record<string, JsonValue>>): void {
    Object.assign(done.values, values);
    scene.values.keep(values);
  }
}

/** Where the server refused the call, whether it has what was called at all. */
export async function explained(
  findings: readonly Finding[],
  { outcome }: Exchange,
  step: StepSpec,
  request: Request,
  { server, timeoutMs, signal }: Scene,
): Promise<readonly Finding[]> {
  if (findings.length === 0 || outcome.kind === 'none' || !saysError(outcome)) return findings;
  const { withAbsence } = await import('./absence.js');
  return await withAbsence(findings, step, request, server, { timeoutMs, signal });
}

/** The answer as validators, snapshots and reports see it. */
export function responseOf({ outcome }: Exchange): JsonObject {
  if (outcome.kind === 'result') return outcome.result;
  if (outcome.kind === 'none') return { error: { code: outcome.code, message: outcome.message } };
  const { code, message, data } = outcome.error;
  return { error: { code, message, ...(data !== undefined && { data }) } };
}

interface Seen {
  readonly request: Request;
  readonly response?: JsonObject;
  readonly exchange?: Exchange;
}

function contextOf(step: StepSpec, scene: Scene, phase: 'before' | 'after', seen: Seen): ValidatorContext {
  const { request, response, exchange } = seen;
  const { capabilities: _capabilities, ms: _ms, ...introduction } = scene.server.introduction;
  const target = targetOf(step, request);
  return {
    request,
    ...(response && { response }),
    metadata: {
      test_name: scene.testName,
      tool_name: step.tool === undefined ? null : target,
      target,
      server_info: { ...introduction },
      suite_name: scene.suite.name,
      phase,
      attempt: scene.attempt,
      latency_ms: exchange?.ms ?? null,
      values: scene.values.all,
      events: (exchange?.events ?? []).map((event) => ({ ...event })),
    },
  };
}

/** As the server lists it. */
export async function toolOf(step: StepSpec, request: Request, scene: Scene): Promise<Tool | undefined> {
  if (step.tool === undefined) return undefined;
  const wanted = targetOf(step, request);
  return (await scene.tools()).find(({ name }) => name === wanted);
}

export function expectationsOf({ expect }: StepSpec, { values }: Scene): Expect {
  if (expect === undefined) return nothingSaid();
  return isFilled(expect) ? expect : filledExpect(expect, values.all);
}

export function fill(params: JsonObject, { values }: Scene): JsonObject {
  // What is filled in are values within JSON; its form stays.
  return namesValues(params) ? (fillValues(params, values.all) as JsonObject) : params;
}

function isFilled(expect: WrittenExpect): expect is Expect {
  return !namesValues(expect);
}

const hasReference = new WeakMap<object, boolean>();

/** Most steps name no values; whether one does is looked at once. */
function namesValues(given: object): boolean {
  let has = hasReference.get(given);
  if (has === undefined) {
    has = JSON.stringify(given).includes('{{');
    hasReference.set(given, has);
  }
  return has;
}

function filledAsFarAsPossible(step: StepSpec, scene: Scene): Request {
  const written = requestOf(step);
  try {
    return { ...written, params: fill(written.params, scene) };
  } catch (error) {
    if (error instanceof UnknownValue) return written;
    throw error;
  }
}

let unsaid: Expect | undefined;

function nothingSaid(): Expect {
  unsaid ??= filledExpect(expectSchema.parse({}), {});
  return unsaid;
}
