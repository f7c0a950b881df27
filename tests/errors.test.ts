import { describe, expect, it } from 'vitest';
import {
  CallerError,
  createError,
  type ErrorCode,
  ExecutionError,
  errorTable,
  HostError,
  isErrorCode,
  LimitError,
  ScriptError,
} from '../src/errors.js';

const codes = Object.keys(errorTable).filter(isErrorCode);
const classes = { caller: CallerError, script: ScriptError, limit: LimitError, host: HostError };

describe.each(codes)('%s', (code: ErrorCode) => {
  it('is made as an error of the class of its fault, with all that is known of it', () => {
    const cause = new Error('below');
    const error = createError(code, 'what happened', { line: 3 }, { cause });
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toBeInstanceOf(classes[errorTable[code].fault]);
    expect(error.name).toBe(classes[errorTable[code].fault].name);
    expect(error).toMatchObject({ code, message: 'what happened', details: { line: 3 }, cause });
    expect(error).toMatchObject({
      fault: errorTable[code].fault,
      advice: errorTable[code].advice,
      exitCode: errorTable[code].exitCode,
    });
  });

  it('says what it means and what to do in whole sentences', () => {
    expect(errorTable[code].meaning).toMatch(/^[A-Z].*\.$/);
    expect(errorTable[code].advice).toMatch(/^[A-Z].*\.$/);
  });

  it('has an HTTP status and an exit code that fit its fault', () => {
    const { fault, httpStatus, exitCode } = errorTable[code];
    if (fault === 'caller') expect([httpStatus, exitCode]).toEqual([expect.toSatisfy(isClientStatus), 2]);
    else expect(exitCode).not.toBe(2);
  });
});

it('an error without details has empty ones', () => {
  expect(new CallerError('UNKNOWN_TOOL', 'no such function').details).toEqual({});
});

it.each(['NOPE', '', 'toString', '__proto__', 5, undefined, null])('%j is no error code', (code) => {
  expect(isErrorCode(code)).toBe(false);
});

function isClientStatus(status: number): boolean {
  return status >= 400 && status < 500;
}
