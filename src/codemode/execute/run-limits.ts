import { CallerError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import type { ExecuteLimits } from '../code-execution.js';
import type { ScriptRunOptions } from '../script-runner.js';
import type { CodeSettings } from '../settings.js';

export interface RunLimits {
  /** Those that the runner holds a script to. */
  readonly ofRunner: NonNullable<ScriptRunOptions['limits']>;
  readonly shownBytes: number;
  readonly maxCalls: number;
}

const names = ['timeoutMs', 'cpuMs', 'memoryBytes', 'maxOutputBytes', 'shownBytes', 'maxCalls'] as const;
const leastShownBytes = 256;

/** The runner knows its own limits, and refuses what is above them. */
export function readLimits(
  given: ExecuteLimits = {},
  settings: Pick<CodeSettings, 'shownBytes' | 'maxCalls'>,
): RunLimits {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CallerError('INVALID_ARGUMENTS', 'limits must be an object', { argument: 'limits' });
  }
  for (const [name, value] of Object.entries(given)) check(name, value);
  const { shownBytes, maxCalls, ...others } = given;
  const ofRunner = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ofRunner,
    shownBytes: lowered('shownBytes', shownBytes, settings.shownBytes),
    maxCalls: lowered('maxCalls', maxCalls, settings.maxCalls),
  };
}

function check(name: string, value: unknown): void {
  if (!names.some((known) => known === name)) {
    const close = nearest(name, names);
    const advice = close === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${close}?`;
    throw invalid(name, `There is no limit ${JSON.stringify(name.slice(0, 60))}. ${advice}`);
  }
  if (value === undefined) return;
  const least = name === 'shownBytes' ? leastShownBytes : 1;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw invalid(name, `Limit ${name}: expected a whole number from ${least} on, got ${JSON.stringify(value)}`);
  }
}

function lowered(name: string, asked: number | undefined, global: number): number {
  if (asked === undefined) return global;
  if (asked <= global) return asked;
  throw invalid(name, `Limit ${name}: ${asked} is above the global limit of ${global}; a run may only lower it`);
}

function invalid(name: string, message: string): CallerError {
  return new CallerError('INVALID_SETTING', message, { setting: name.slice(0, 60) });
}
