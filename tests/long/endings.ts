import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Engine, RunOptions, RunResult } from '../../src/engine/work.js';
import { ExecutionError } from '../../src/errors.js';
import type { CallEvent } from '../../src/toolbox.js';
import { longScript } from './scale.js';

type Outcome = { readonly result: RunResult } | { readonly error: ExecutionError };

interface Ending {
  readonly function: string;
  readonly weight: number;
  readonly limits?: RunOptions['limits'];
  /** When the call is cancelled: once it has said something, or after so many ms, whatever it is doing by then. */
  readonly cancel?: 'when it speaks' | number;
  readonly args?: { readonly seconds: number };
  check(outcome: Outcome, id: string, events: readonly CallEvent[]): void;
}

const capped = { maxOutputBytes: 200_000 };
/** Long enough for a script to say its line on a machine that is busy with eight calls. */
const short = { timeoutMs: 1500 };

/** How calls end, how often each way is taken, and what exactly must come back. */
export const endings: readonly Ending[] = [
  { function: 'fine', weight: 30, check: returnsId },
  { function: 'raising', weight: 12, check: raises },
  { function: 'hanging', weight: 2, limits: short, check: failsWith('TIMEOUT', 'hangs') },
  { function: 'spinning', weight: 1, limits: short, check: failsWith('TIMEOUT', 'spins') },
  { function: 'flooding', weight: 5, limits: capped, check: floods },
  { function: 'segfaulting', weight: 4, check: diesBy('SIGSEGV', 'touches what is not there') },
  { function: 'aborting', weight: 4, check: diesBy('SIGABRT', 'aborts') },
  { function: 'leaving', weight: 4, check: leaves },
  { function: 'exiting', weight: 5, check: exits },
  { function: 'hanging', weight: 10, cancel: 'when it speaks', check: failsWith('CANCELLED', 'hangs') },
  { function: 'sleeping', weight: 3, cancel: 0, args: { seconds: 0.002 }, check: returnsIdOrCancelled },
  { function: 'sleeping', weight: 3, cancel: 3, args: { seconds: 0.002 }, check: returnsIdOrCancelled },
  { function: 'printing', weight: 8, check: prints },
  { function: 'telling', weight: 4, check: tells },
  { function: 'yielding', weight: 4, check: yields },
  { function: 'returning_much', weight: 4, check: returnsMuch },
  { function: 'abandoning', weight: 2, check: returnsId },
  { function: 'closing', weight: 2, check: failsWith('PROCESS_FAILED', 'closes all it has') },
];

/** Calls, checks that the outcome is the call's own, and gives what it ended with. */
export async function endAndCheck(engine: Engine, ending: Ending, id: string, ledger: string): Promise<string> {
  const events: CallEvent[] = [];
  const strange: CallEvent[] = [];
  const controller = new AbortController();
  let settled = false;
  const onEvent = (event: CallEvent) => {
    if (settled || !textOf(event).includes(id)) strange.push(event);
    events.push(event);
    if (ending.cancel === 'when it speaks' && event.type === 'output') controller.abort();
  };
  const call = engine.call(
    { script: longScript('every_ending.py'), function: ending.function, args: { id, ledger, ...ending.args } },
    {
      onEvent: (event) => (event.type === 'queued' ? undefined : onEvent(event)),
      signal: controller.signal,
      limits: ending.limits,
    },
  );
  if (typeof ending.cancel === 'number') setTimeout(() => controller.abort(), ending.cancel);
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: asExecutionError(error) }),
  );
  settled = true;
  ending.check(outcome, id, events);
  expect(strange, 'events of another call').toEqual([]);
  return 'error' in outcome ? outcome.error.code : 'fine';
}

/** The ids of calls that ran, once for each time that they did. */
export function readLedger(ledger: string): string[] {
  return readFileSync(ledger, 'utf8').trimEnd().split('\n');
}

function returnsId(outcome: Outcome, id: string): void {
  expect(resultOf(outcome)).toMatchObject({ value: { id }, stdout: '', stderr: '' });
}

function raises(outcome: Outcome, id: string): void {
  const { code, details } = errorOf(outcome);
  expect({ code, type: details.type }).toEqual({ code: 'EXCEPTION', type: 'ValueError' });
  expect(details.traceback).toMatch(`ValueError: no luck for ${id}`);
}

function failsWith(code: string, says: string): Ending['check'] {
  return (outcome, id) => {
    const error = errorOf(outcome);
    expect(error.code).toBe(code);
    expect(error.details.stdout).toBe(`${id} ${says}\n`);
  };
}

function diesBy(signal: string, says: string): Ending['check'] {
  return (outcome, id) => {
    const { code, details } = errorOf(outcome);
    expect({ code, signal: details.signal }).toEqual({ code: 'PROCESS_FAILED', signal });
    expect(details.stdout).toBe(`${id} ${says}\n`);
  };
}

function leaves(outcome: Outcome, id: string): void {
  const { code, details } = errorOf(outcome);
  expect({ code, exitCode: details.exitCode }).toEqual({ code: 'PROCESS_FAILED', exitCode: 7 });
  expect(details.stdout).toBe(`${id} leaves\n`);
}

function exits(outcome: Outcome, id: string): void {
  const { code, details } = errorOf(outcome);
  expect({ code, exitCode: details.exitCode }).toEqual({ code: 'PROCESS_FAILED', exitCode: 1 });
  expect(details.stderr).toBe(`${id} exits\n`);
}

function floods(outcome: Outcome, id: string): void {
  const { code, details } = errorOf(outcome);
  expect(code).toBe('OUTPUT_LIMIT');
  const lines = (details.stdout ?? '').split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(1000);
  expect(new Set(lines)).toEqual(new Set([`${id} floods`]));
}

function returnsIdOrCancelled(outcome: Outcome, id: string): void {
  if ('error' in outcome) expect(outcome.error.code).toBe('CANCELLED');
  else returnsId(outcome, id);
}

function prints(outcome: Outcome, id: string, events: readonly CallEvent[]): void {
  const { value, stdout, stderr } = resultOf(outcome);
  expect(value).toEqual({ id });
  for (const [stream, text, word] of [
    ['stdout', stdout, 'out'],
    ['stderr', stderr, 'err'],
  ] as const) {
    const lines = Array.from({ length: 20 }, (_, number) => `${id} ${word} ${number}`);
    expect(text).toBe(`${lines.join('\n')}\n`);
    expect(events.flatMap((event) => (event.type === 'output' && event.stream === stream ? [event.line] : []))).toEqual(
      lines,
    );
  }
}

function tells(outcome: Outcome, id: string, events: readonly CallEvent[]): void {
  const { value, logs } = resultOf(outcome);
  expect(value).toEqual({ id });
  expect(logs.map(({ message }) => message)).toEqual([`${id} began`, `${id} ends`]);
  expect(events.map(({ type }) => type)).toEqual(['log', 'progress', 'log']);
}

function yields(outcome: Outcome, id: string, events: readonly CallEvent[]): void {
  const values = Array.from({ length: 5 }, (_, number) => `${id} value ${number}`);
  expect(resultOf(outcome).value).toEqual(values);
  expect(events).toEqual(values.map((value) => ({ type: 'value', value })));
}

function returnsMuch(outcome: Outcome, id: string): void {
  expect(resultOf(outcome).value).toEqual({ id, text: id.repeat(10_000) });
}

function resultOf(outcome: Outcome): RunResult {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function errorOf(outcome: Outcome): ExecutionError {
  if ('error' in outcome) return outcome.error;
  return expect.fail(`expected a failure, got ${JSON.stringify(outcome.result).slice(0, 1000)}`);
}

function asExecutionError(error: unknown): ExecutionError {
  expect(error).toBeInstanceOf(ExecutionError);
  return error as ExecutionError;
}

function textOf(event: CallEvent): string {
  if (event.type === 'output') return event.line;
  if (event.type === 'value') return String(event.value);
  return event.type === 'queued' ? '' : (event.message ?? '');
}
