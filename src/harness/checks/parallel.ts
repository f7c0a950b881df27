import type { Exchange, TestedServer } from '../../testedserver.js';
import { isEqual } from '../expect/equal.js';
import { bounded } from '../expect/shown.js';
import type { Finding } from '../report.js';
import { comparable } from './answers.js';
import { type CheckPart, type CheckPlan, type CheckRun, isSkipped, type Skipped } from './check.js';
import { type Choice, readingChoices, type TextChoice, textChoices } from './choice.js';
import { findEcho, holdsText, sendText } from './echo.js';
import { callText, isRefused, named, refusedAlone, unanswered, wrong } from './findings.js';
import { skippedPart, withArgument, withTool } from './scope.js';
import { saysIdempotent, stillAnswers } from './tools.js';

const defaultCalls = 16;

export const planParallel: CheckPlan<'parallel'> = (options, given) => {
  if (options === true) {
    const choices = readingChoices(given);
    const [first] = choices;
    return [first ? partOf(first, textChoices(choices), defaultCalls, false) : skippedPart(nothingFits)];
  }
  const { tool: name, argument, calls } = options;
  if (argument === undefined) {
    return [withTool(name, given.tools, (tool) => partOf({ ...options, tool }, [], calls, true))];
  }
  return [
    withArgument({ ...options, argument }, given.tools, (tool) =>
      partOf({ ...options, tool }, [{ ...options, tool, argument }], calls, true),
    ),
  ];
};

const nothingFits =
  'No passed case calls a tool that says that it only reads; say which with parallel: { tool: NAME, arguments: {…} }.';

function partOf(choice: Choice, texts: readonly TextChoice[], calls: number, isNamed: boolean): CheckPart {
  return {
    async run(check) {
      const server = await check.server();
      const echo = await findEcho(server, texts, check);
      const findings = echo
        ? await tellApart(check, server, echo, calls)
        : await compareWithOneAlone(check, server, withText(choice, texts), calls, isNamed);
      if (isSkipped(findings)) return findings;
      return [...findings, ...(await stillAnswers(server, `after ${calls} calls at once`, check))];
    },
  };
}

/** An argument that was named for texts has one, whether or not it comes back. */
function withText(choice: Choice, [first]: readonly TextChoice[]): Choice {
  if (!first || first.tool !== choice.tool || Object.hasOwn(choice.arguments, first.argument)) return choice;
  return { ...choice, arguments: { ...choice.arguments, [first.argument]: 'text' } };
}

/** Each call has a text of its own, which has to come back in its own answer and in no other. */
async function tellApart(
  check: CheckRun,
  server: TestedServer,
  choice: TextChoice,
  calls: number,
): Promise<readonly Finding[]> {
  const { name } = choice.tool;
  check.note(`${calls} calls of ${named(name)} at once, each with a text of its own.`);
  const texts = Array.from({ length: calls }, (_, number) => `[call ${number + 1} of ${calls}]`);
  const exchanges = await Promise.all(texts.map((text) => sendText(server, choice, text, check)));
  const mixed = exchanges.flatMap((exchange, number): readonly Finding[] => {
    const text = texts[number] ?? '';
    if (exchange.outcome.kind === 'none') return [];
    const isOwn = holdsText(exchange, text);
    const foreign = texts.find((other) => other !== text && holdsText(exchange, other));
    if (isOwn && foreign === undefined) return [];
    const what = wordsFor(isOwn, foreign !== undefined);
    return [
      wrong(`Of ${calls} calls of ${named(name)} at once, one got ${what}.`, {
        expected: text,
        actual: bounded(foreign ?? comparable(exchange)),
      }),
    ];
  });
  return [...unansweredOnes(name, exchanges), ...mixed.slice(0, 3)];
}

function wordsFor(isOwn: boolean, hasForeign: boolean): string {
  if (isOwn) return 'the text of another call beside its own';
  return hasForeign ? 'the answer of another call' : 'an answer without its text';
}

async function compareWithOneAlone(
  check: CheckRun,
  server: TestedServer,
  choice: Choice,
  calls: number,
  isNamed: boolean,
): Promise<readonly Finding[] | Skipped> {
  const { name } = choice.tool;
  const call = () => server.request('tools/call', { name, arguments: choice.arguments }, check);
  const first = await call();
  if (isRefused(first)) return refusedAlone(name, choice.arguments, isNamed);
  const alone = saysIdempotent(choice.tool) ? [first, await call()] : [first];
  const model = modelOf(alone);
  check.note(
    `${calls} calls of ${named(name)} at once, ${model ? 'compared with one alone' : 'whose answers may differ'}.`,
  );
  const exchanges = await Promise.all(Array.from({ length: calls }, call));
  const others = model ? exchanges.filter((exchange) => isOther(exchange, model)) : [];
  const [example] = others;
  const detail = callText(name, choice.arguments);
  const findings = unansweredOnes(name, [...alone, ...exchanges]);
  if (!model || !example) return findings;
  const message = `Of ${calls} calls of ${named(name)} at once, ${others.length} got another answer than one alone.`;
  const values = { expected: bounded(comparable(model)), actual: bounded(comparable(example)) };
  return [...findings, wrong(message, { ...values, detail })];
}

/** The answer to one call alone, where it is the same each time. */
function modelOf([first, second]: readonly Exchange[]): Exchange | undefined {
  if (!first || !second || first.outcome.kind === 'none' || second.outcome.kind === 'none') return undefined;
  return isEqual(comparable(first), comparable(second)) ? first : undefined;
}

function isOther(exchange: Exchange, model: Exchange): boolean {
  if (exchange.outcome.kind === 'none') return false;
  return isRefused(exchange) !== isRefused(model) || !isEqual(comparable(exchange), comparable(model));
}

function unansweredOnes(name: string, exchanges: readonly Exchange[]): readonly Finding[] {
  const lost = exchanges.map(({ outcome }) => outcome).filter((outcome) => outcome.kind === 'none');
  const [first] = lost;
  if (!first) return [];
  const what = `${lost.length} of ${exchanges.length} calls of ${named(name)}, most of them at once,`;
  return [unanswered(what, first)];
}
