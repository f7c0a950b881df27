import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { Example } from '../checks/check.js';
import type { CaseReport } from '../report.js';

const mostExampleLength = 32 * 1024;

/** What a tool was called with and passed, for checks that need something to call it with. */
export function noteExample(done: CaseReport, examples: Example[]): void {
  const { status, kind, target, request, response, id, latencyMs } = done;
  if (status !== 'passed' || kind !== 'tool' || target === undefined || isFailure(response)) return;
  const given = objectIn(request?.params, 'arguments');
  // The report holds no more of it than this, so that it may be cut.
  if (given && JSON.stringify(given).length < mostExampleLength)
    examples.push({ tool: target, arguments: given, case: id, ms: latencyMs });
}

/** An error that the case expected. */
function isFailure(response: JsonValue | undefined): boolean {
  return isJsonObject(response) && (response.isError === true || response.error !== undefined);
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
