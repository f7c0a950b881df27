import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import { withTexts } from '../expect/json.js';
import type { CaseReport, Finding, SuiteReport } from '../report.js';

type Redact = (text: string) => string;

/** The same report with every text that others said as `redact` gives it back; words of the report itself stay. */
export function redactedCase(report: CaseReport, redact: Redact): CaseReport {
  const { findings, earlierFindings, validators, events, request, load } = report;
  const redacted = (finding: Finding) => inside(finding, ['kind', 'code'], redact);
  return {
    ...inside(
      report,
      ['kind', 'status', 'findings', 'earlierFindings', 'validators', 'events', 'request', 'load'],
      redact,
    ),
    findings: findings.map(redacted),
    ...(earlierFindings && { earlierFindings: earlierFindings.map(redacted) }),
    validators: validators.map((validator) => ({
      ...inside(validator, ['phase', 'logs'], redact),
      logs: validator.logs.map((line) => inside(line, ['level'], redact)),
    })),
    ...(events && { events: events.map((event) => insideEvent(event, redact)) }),
    ...(request && { request: inside(request, [], redact) }),
    ...(load && { load: { ...load, failures: load.failures.map((failure) => inside(failure, [], redact)) } }),
  };
}

/** The same of a suite, whose cases are so already. */
export function redactedSuite(report: SuiteReport, redact: Redact): SuiteReport {
  const { server, measures, snapshots } = report;
  return {
    ...inside(report, ['outcome', 'totals', 'server', 'cases', 'measures', 'snapshots'], redact),
    server: {
      ...inside(server, ['kind', 'crashes'], redact),
      crashes: server.crashes.map((crash) => inside(crash, [], redact)),
    },
    measures: { ...measures, tools: measures.tools.map((tool) => inside(tool, ['latency'], redact)) },
    snapshots: inside(snapshots, [], redact),
  };
}

/** Every value of an object but these with its texts redacted, names of keys within them too. */
function inside<T extends object>(given: T, but: readonly (keyof T & string)[], redact: Redact): T {
  const kept: readonly string[] = but;
  const redacted = Object.entries(given).map(([key, value]) => [key, kept.includes(key) ? value : texts(value)]);
  return Object.fromEntries(redacted) as T;

  function texts(value: unknown): unknown {
    return value === undefined ? undefined : withTexts(value as JsonValue, redact);
  }
}

function insideEvent(event: JsonValue, redact: Redact): JsonValue {
  return isJsonObject(event) ? inside<JsonObject>(event, ['type', 'level'], redact) : withTexts(event, redact);
}
