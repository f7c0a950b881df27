import { randomBytes } from 'node:crypto';

const form = /^\d{8}-\d{6}-[0-9a-f]{10}$/;

/** Sorted by time as text, and not to be guessed: whoever knows it may read what was kept of the run. */
export function createRunId(at: Date = new Date()): string {
  const [day = '', time = ''] = at.toISOString().split(/[T.]/);
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(5).toString('hex')}`;
}

export function isRunId(text: string): boolean {
  return form.test(text);
}
