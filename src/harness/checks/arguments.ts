import type { Exchange } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type Tool } from '../../toolbox.js';
import { checkerOf, SchemaProblem } from '../expect/schema-checker.js';
import { bounded, cut } from '../expect/shown.js';
import { endedWithin } from '../expect/within-time.js';
import { exampleArguments } from '../init/examples.js';
import type { Finding } from '../report.js';
import type { CheckPart, CheckPlan, CheckRun, Example, Skipped } from './check.js';
import { callText, listed, named, unanswered, wrong } from './findings.js';
import { chooseTools, leftAsDestructive, skippedPart } from './scope.js';
import { needsTask, saysDestructive, stillAnswers } from './tools.js';
import { type Violation, violationsOf } from './violations.js';

const invalidParams = -32602;

export const planArguments: CheckPlan<'arguments'> = (options, { tools, examples }) => {
  const { chosen, missing } = chooseTools(options, tools, (tool) => !saysDestructive(tool) && !needsTask(tool));
  const parts = chosen.flatMap((tool) => partOf(tool, examples));
  const destructive = leftAsDestructive(options, tools);
  if (destructive.length > 0) {
    const reason = `Left out, as they may destroy something where wrong arguments are taken: ${listed(destructive)}. Name them under tools to check them.`;
    return [...parts, ...missing, skippedPart(reason)];
  }
  if (parts.length + missing.length > 0) return [...parts, ...missing];
  return [skippedPart('No tool takes arguments that could be wrong.')];
};

function partOf(tool: Tool, examples: readonly Example[]): readonly CheckPart[] {
  const example = examples.find((each) => each.tool === tool.name);
  const violations = violationsOf(tool, example?.arguments ?? madeUp(tool));
  if (violations.length === 0) return [];
  return [{ target: tool.name, run: (check) => violate(check, tool, violations) }];
}

/** So far as it goes: the less is wrong beside what is meant to be, the better. */
function madeUp(tool: Tool): JsonObject {
  const made = exampleArguments(tool);
  return 'arguments' in made ? made.arguments : {};
}

async function violate(
  check: CheckRun,
  tool: Tool,
  tried: readonly Violation[],
): Promise<readonly Finding[] | Skipped> {
  const misfits = await misfitsOf(tool, tried);
  if ('skipped' in misfits) return misfits;
  const server = await check.server();
  const findings: Finding[] = [];
  for (const violation of misfits) {
    const params = { name: tool.name, arguments: violation.arguments };
    const exchange = await server.request('tools/call', params, check);
    const finding = judge(tool.name, violation, exchange);
    if (finding) findings.push(finding);
    if (exchange.outcome.kind === 'none') return findings;
  }
  return [...findings, ...(await stillAnswers(server, 'after calls with wrong arguments', check))];
}

const longestMs = 300;

/** Those that the schema really refuses: it may allow more than it seems to. */
async function misfitsOf(tool: Tool, tried: readonly Violation[]): Promise<readonly Violation[] | Skipped> {
  if (!isJsonObject(tool.inputSchema)) return { skipped: 'Its inputSchema is no object.' };
  try {
    const checker = await checkerOf(tool.inputSchema);
    const fits = (args: JsonObject) => checker.check(args).length === 0;
    let misfits: readonly Violation[] = [];
    const isThrough = endedWithin(longestMs, () => {
      misfits = tried.filter((violation) => !fits(violation.arguments));
    });
    if (!isThrough) return { skipped: 'Its inputSchema takes too long to hold arguments against.' };
    return misfits.length === 0 ? { skipped: 'Its inputSchema allows all that was thought of.' } : misfits;
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    return { skipped: `Its inputSchema cannot be used: ${error.message}.` };
  }
}

function judge(tool: string, { what, arguments: args }: Violation, { outcome }: Exchange): Finding | undefined {
  const call = `A call of ${named(tool)} ${what}`;
  const detail = callText(tool, args);
  const expected = `a result with isError, or the JSON-RPC error ${invalidParams}`;
  if (outcome.kind === 'none') return unanswered(call, outcome, { detail });
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error;
    if (code === invalidParams) return undefined;
    return wrong(`${call} was refused with the error ${code} (${cut(message)}).`, { expected, actual: code, detail });
  }
  if (outcome.result.isError === true) return undefined;
  return wrong(`${call} was taken as if nothing were wrong.`, { expected, actual: bounded(outcome.result), detail });
}
