import { cut, printable } from './shown.js';

export type Step = string | number;

const plainName = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const longestPath = 1000;

/** A place in an answer as a JSONPath: $.items[0]["first name"]. */
export function pathText(steps: readonly Step[]): string {
  return cut(`$${steps.map(stepText).join('')}`, longestPath);
}

/** The steps of a JSON Pointer. */
export function stepsOf(pointer: string): readonly Step[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^(0|[1-9]\d{0,15})$/.test(step) ? Number(step) : step));
}

function stepText(step: Step): string {
  if (typeof step === 'number') return `[${step}]`;
  return plainName.test(step) ? `.${step}` : `[${printable(JSON.stringify(step))}]`;
}
