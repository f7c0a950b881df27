import type { JsonValue } from '../../../toolbox.js';
import type { CaseReport, Report, SuiteReport } from '../../report.js';
import { linesOfFinding, placeOfCase } from '../finding.js';
import { cutText, loggedLine, visible, visibleLine } from '../foreign.js';
import { jsonOf, stringify, withShortTexts } from '../jsontext.js';
import { loadLines, validatorLines } from '../output.js';
import { withoutFigures } from '../without-figures.js';

/** Pages that are larger open slowly, or not at all. */
const maxPageLength = 40_000_000;
/** What is left for cases that did not fail is spread over all of them. */
const lengths = { failed: 200_000, other: 100_000, least: 400 } as const;
const maxFindings = 50;
const maxLines = 500;

/** What a case shows when it is opened, in the order of the report. Where there is much, failed cases keep the most. */
export function detailsOf({ suites }: Report): readonly object[] {
  const all = suites.flatMap((suite) => suite.cases.map((each) => ({ suite, each })));
  const failed = all.filter(({ each }) => each.status === 'failed').length;
  const share = (count: number, most: number) =>
    Math.max(lengths.least, Math.min(most, Math.floor(maxPageLength / 2 / 3 / Math.max(1, count))));
  const [forFailed, forOthers] = [share(failed, lengths.failed), share(all.length - failed, lengths.other)];
  return all.map(({ suite, each }) => detailOf(suite, each, each.status === 'failed' ? forFailed : forOthers));
}

function detailOf(suite: SuiteReport, each: CaseReport, maxLength: number): object {
  const text = (value: string) => visible(cutText(value, maxLength));
  const json = (value: JsonValue) => text(stringify(withShortTexts(value, maxLength), 2));
  return {
    place: placeOfCase(suite, each),
    findings: each.findings
      .slice(0, maxFindings)
      .map((finding) => linesOfFinding(finding).map(({ kind, text: line }) => [kind, line])),
    earlier: (each.earlierFindings ?? [])
      .slice(0, maxFindings)
      .map((finding) => linesOfFinding(finding).map(({ kind, text: line }) => [kind, line])),
    moreFindings: Math.max(0, each.findings.length - maxFindings),
    ...(each.request && { method: visibleLine(each.request.method), request: json(each.request.params) }),
    ...(each.response !== undefined && { response: json(withoutFigures(each.response)) }),
    ...(each.events &&
      each.events.length > 0 && { events: text(each.events.map((event) => stringify(event)).join('\n')) }),
    values: Object.entries(each.values ?? {}).map(([name, value]) => [visibleLine(name), text(jsonOf(value))]),
    validators: each.validators.map((validator) => ({
      passed: validator.passed,
      lines: validatorLines(validator).slice(0, maxLines).map(text),
    })),
    stderr: text((each.stderr ?? []).slice(-maxLines).map(loggedLine).join('\n')),
    ...(each.load && { load: { ...each.load, failures: [], lines: loadLines(each.load).map(text) } }),
  };
}
