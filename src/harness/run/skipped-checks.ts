import type { CaseReport } from '../report.js';
import { checkNames } from '../suite/schema-checks.js';
import type { Suite } from '../suite.js';
import { notRun } from './case-run.js';

/** Of the checks that a suite asks for, where none of them could be made. */
export function skippedChecks({ document, placeOfCheck }: Suite, reason: string): readonly CaseReport[] {
  const { checks } = document;
  const names = checkNames.filter((name) => checks[name] !== undefined && checks[name] !== false);
  return names.map((name) => ({ ...skipped('check', `check: ${name}`, reason), ...placeOfCheck?.(name) }));
}

export function skippedConformance({ document }: Suite, reason: string): readonly CaseReport[] {
  return document.conformance ? [skipped('conformance', 'conformance', reason)] : [];
}

function skipped(kind: 'check' | 'conformance', id: string, reason: string): CaseReport {
  return { ...notRun, id, name: id, kind, tags: [kind], status: 'skipped', reason };
}
