import type { Exchange, TestedServer } from '../../testedserver.js';
import type { JsonObject, Tool } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { CheckPart, CheckPlan, CheckRun, Example, Skipped } from './check.js';
import { callText, named, unanswered, wrong } from './findings.js';
import { skippedPart, withTool } from './scope.js';
import { needsTask, saysReadOnly, stillAnswers } from './tools.js';

interface Plan {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly after: number;
  readonly wait: number;
}

export const planCancellation: CheckPlan<'cancellation'> = (options, { tools, examples }) => {
  if (options !== true) return [withTool(options.tool, tools, () => partOf(options, true))];
  const found = slowestExample(tools, examples);
  return [found ? partOf(found, false) : skippedPart(nothingFits)];
};

/** So long has a call to take that it can be cancelled in its midst. */
const leastMs = 100;
const longestWait = 10_000;
const nothingFits = `No passed case of a tool that says that it only reads took ${leastMs} ms or more; say what to cancel with cancellation: { tool: NAME, arguments: {…} }.`;

/** Cancelled in its first third, and waited for as long as it took when it was not cancelled. */
function slowestExample(tools: readonly Tool[], examples: readonly Example[]): Plan | undefined {
  const safe = new Set(tools.filter((tool) => saysReadOnly(tool) && !needsTask(tool)).map(({ name }) => name));
  const [slowest] = examples
    .flatMap(({ ms = 0, ...example }) => (ms >= leastMs && safe.has(example.tool) ? [{ ...example, ms }] : []))
    .sort((one, other) => other.ms - one.ms);
  if (!slowest) return undefined;
  const { tool, arguments: args, ms } = slowest;
  return { tool, arguments: args, after: Math.min(200, ms / 3), wait: Math.min(longestWait, ms * 1.5) };
}

type Verdict = readonly Finding[] | Skipped;

function partOf(plan: Plan, isNamed: boolean): CheckPart {
  return { target: plan.tool, run: (check) => cancelInTheMidst(check, plan, isNamed) };
}

async function cancelInTheMidst(check: CheckRun, plan: Plan, isNamed: boolean): Promise<Verdict> {
  const { tool, arguments: args, after, wait } = plan;
  const server = await check.server();
  const lateBefore = server.lateAnswers;
  const { outcome, ms } = await callAndCancel(server, { tool, arguments: args, after }, check);
  const detail = callText(tool, args);
  if (outcome.kind !== 'none') {
    const sentence = `${named(tool)} answered after ${Math.round(ms)} ms, before it was cancelled at ${Math.round(after)} ms; name a call that takes longer.`;
    return isNamed ? [wrong(sentence, { detail })] : { skipped: sentence };
  }
  if (outcome.code !== 'CANCELLED') return [unanswered(`A call of ${named(tool)}`, outcome, { detail })];
  const alive = await stillAnswers(server, 'after a cancelled call', check);
  if (alive.length > 0) return alive;
  const lateMs = await waitForLateAnswer(server, lateBefore, wait, check.signal);
  if (lateMs === undefined && (server.pid === undefined || server.served)) {
    return { skipped: 'Of a server at an address it cannot be seen whether it went on with the call.' };
  }
  // Of a call that was chosen it is known how long it takes.
  if (lateMs === undefined) return isNamed ? whetherSeen(check, server, plan) : [];
  const message = `${named(tool)} was cancelled, and answered all the same ${Math.round(lateMs)} ms later.`;
  return [wrong(message, { expected: 'no answer', detail })];
}

/** No late answer says something only of a call that would have been answered by then. */
async function whetherSeen(
  check: CheckRun,
  server: TestedServer,
  { tool, arguments: args, after, wait }: Plan,
): Promise<readonly Finding[]> {
  const longestMs = after + wait;
  const { outcome } = await callAndCancel(server, { tool, arguments: args, after: longestMs }, check);
  const detail = callText(tool, args);
  if (outcome.kind === 'result' || check.signal?.aborted) return [];
  if (outcome.kind === 'error')
    return [wrong(`${named(tool)} gives an error, so that nothing can be seen by it.`, { detail })];
  if (outcome.code !== 'CANCELLED') return [unanswered(`A call of ${named(tool)}`, outcome, { detail })];
  const advice = 'name a call that takes less, or wait longer';
  const message = `${named(tool)} does not answer within ${Math.round(longestMs)} ms even where it is not cancelled, so that nothing can be seen by it; ${advice}.`;
  return [wrong(message, { detail })];
}

/** By a timer of its own: nobody holds on to `AbortSignal.timeout` in a call, and what nobody holds may never fire. */
async function callAndCancel(
  server: TestedServer,
  { tool, arguments: args, after }: Omit<Plan, 'wait'>,
  { timeoutMs, signal }: CheckRun,
): Promise<Exchange> {
  const cancel = new AbortController();
  const timer = setTimeout(() => cancel.abort(), after);
  const stopWatching = onAbort(signal, () => cancel.abort());
  try {
    const params = { name: tool, arguments: args };
    return await server.request('tools/call', params, { timeoutMs: after + timeoutMs, signal: cancel.signal });
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}

function onAbort(signal: AbortSignal | undefined, heard: () => void): () => void {
  if (signal?.aborted) heard();
  signal?.addEventListener('abort', heard, { once: true });
  return () => signal?.removeEventListener('abort', heard);
}

/** There is no event for it. */
async function waitForLateAnswer(
  server: TestedServer,
  before: number,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const startedAt = performance.now();
  while (server.lateAnswers === before) {
    if (performance.now() - startedAt >= waitMs || server.isOver || signal?.aborted) return undefined;
    await new Promise((resolve) => setTimeout(resolve, Math.min(20, waitMs)));
  }
  return performance.now() - startedAt;
}
