import { closeSync, openSync } from 'node:fs';
import type { Settings } from '../config.js';
import { CallerError } from '../errors.js';
import { type AdjustableLog, createLog, type LogOptions } from '../log.js';

/** The log as the settings ask for it. A file that cannot be written is said before anything else is done. */
export function createLogFor(
  { logLevel: level, logFile: file, secrets }: Settings,
  write?: LogOptions['write'],
): AdjustableLog {
  if (file !== undefined) checkWritable(file);
  return createLog({ level, secrets, file, write });
}

function checkWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Setting logFile: ${file} cannot be written: ${reason}`;
    throw new CallerError('INVALID_SETTING', message, { setting: 'logFile' }, { cause });
  }
}
