import type { JsonObject, JsonValue, Tool } from '../../toolbox.js';
import { differenceOf } from '../expect/equal.js';
import { pathText } from '../expect/path-text.js';
import { bounded } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { comparable } from './answers.js';
import type { CheckOptions, CheckPart, CheckPlan, CheckRun, Example, Skipped } from './check.js';
import { knownArguments } from './choice.js';
import { callText, isRefused, listed, named, refusedAlone, unanswered, wrong } from './findings.js';
import { chooseTools, leftAsDestructive, skippedPart } from './scope.js';
import { needsTask, saysDestructive, saysIdempotent, saysReadOnly } from './tools.js';

const mostExamples = 3;

export const planIdempotence: CheckPlan<'idempotence'> = (options, { tools, examples }) => {
  const isMeant = (tool: Tool) => saysIdempotent(tool) && !needsTask(tool);
  const { chosen, missing } = chooseTools(options, tools, (tool) => isMeant(tool) && !saysDestructive(tool));
  const destructive = leftAsDestructive(options, tools, isMeant);
  if (chosen.length + missing.length + destructive.length === 0) return [skippedPart(noneSaysSo)];
  const planned = chosen.map((tool) => ({ tool, calls: callsOf(tool, options, examples) }));
  const without = planned.filter(({ calls }) => calls.length === 0).map(({ tool }) => tool.name);
  const isNamed = options !== true && options.arguments !== undefined;
  const reasons = [
    ...(without.length === 0 ? [] : [`Left out, as no passed case calls them with arguments: ${listed(without)}.`]),
    ...(destructive.length === 0
      ? []
      : [`Left out, as they may destroy something: ${listed(destructive)}. Name them under tools to check them.`]),
  ];
  const parts = planned
    .filter(({ calls }) => calls.length > 0)
    .map(
      ({ tool, calls }): CheckPart => ({ target: tool.name, run: (check) => callTwice(check, tool, calls, isNamed) }),
    );
  return [...parts, ...missing, ...(reasons.length === 0 ? [] : [skippedPart(reasons.join(' '))])];
};

const noneSaysSo = 'No tool says that it is idempotent or read-only; name some with idempotence: { tools: [NAME] }.';

function callsOf(
  tool: Tool,
  options: CheckOptions<'idempotence'>,
  examples: readonly Example[],
): readonly JsonObject[] {
  if (options !== true && options.arguments) return [options.arguments];
  return knownArguments(tool, examples).slice(0, mostExamples);
}

async function callTwice(
  check: CheckRun,
  tool: Tool,
  calls: readonly JsonObject[],
  isNamed: boolean,
): Promise<readonly Finding[] | Skipped> {
  const { name } = tool;
  for (const args of calls) {
    const answers: JsonValue[] = [];
    for (const turn of ['first', 'second']) {
      const exchange = await check.call(name, args);
      const { outcome } = exchange;
      const detail = callText(name, args);
      if (outcome.kind === 'none') return [unanswered(`The ${turn} of two equal calls`, outcome, { detail })];
      if (isRefused(exchange) && answers.length === 0) return refusedAlone(name, args, isNamed);
      answers.push(comparable(exchange));
    }
    const findings = differences(tool, args, answers);
    if (findings.length > 0) return findings;
  }
  return [];
}

function differences(tool: Tool, args: JsonObject, answers: readonly JsonValue[]): readonly Finding[] {
  const { name } = tool;
  const [first = null, second = null] = answers;
  const difference = differenceOf(first, second);
  if (!difference) return [];
  return [
    wrong(`${named(name)} ${claimOf(tool)}gave another answer to the same call. ${adviceFor(name)}`, {
      path: pathText(difference),
      expected: bounded(first),
      actual: bounded(second),
      detail: callText(name, args),
    }),
  ];
}

function claimOf(tool: Tool): string {
  if (!saysIdempotent(tool)) return '';
  return saysReadOnly(tool) ? 'says that it only reads, and ' : 'says that it can be repeated, and ';
}

function adviceFor(name: string): string {
  return `Where its answers may differ, leave it out: idempotence: { except: [${named(name)}] }.`;
}
