import { textOfOutcome } from '../expect/answer.js';
import { bounded } from '../expect/shown.js';
import type { Finding } from '../report.js';
import type { CheckPart, CheckPlan, CheckRun, Skipped } from './check.js';
import { argumentsWith, readingChoices, type TextChoice, textChoices } from './choice.js';
import { findEcho, holdsText, sendText } from './echo.js';
import { callText, isRefused, named, unanswered, wrong } from './findings.js';
import { hardTexts } from './hard-texts.js';
import { skippedPart, withArgument } from './scope.js';
import { stillAnswers } from './tools.js';

export const planUnicode: CheckPlan<'unicode'> = (options, given) => {
  if (options !== true) return [withArgument(options, given.tools, (tool) => partOf({ ...options, tool }, []))];
  const [first, ...others] = textChoices(readingChoices(given));
  return [first ? partOf(first, others) : skippedPart(nothingFits)];
};

const nothingFits =
  'No passed case calls a read-only tool with a text; say which with unicode: { tool: NAME, argument: NAME }.';

function partOf(first: TextChoice, others: readonly TextChoice[]): CheckPart {
  return { run: (check) => sendHardTexts(check, first, others) };
}

async function sendHardTexts(
  check: CheckRun,
  first: TextChoice,
  others: readonly TextChoice[],
): Promise<readonly Finding[] | Skipped> {
  const server = await check.server();
  const echo = await findEcho(server, [first, ...others], check);
  const choice = echo ?? first;
  const { name } = choice.tool;
  check.note(`Sent to ${named(name)}, which ${echo ? 'gives' : 'does not give'} the text back.`);
  const findings: Finding[] = [];
  let refused = 0;
  for (const { what, text } of hardTexts) {
    const exchange = await sendText(server, choice, text, check);
    const { outcome } = exchange;
    const detail = callText(name, argumentsWith(choice, text));
    if (outcome.kind === 'none') return [...findings, unanswered(`A text of ${what}`, outcome, { detail })];
    if (isRefused(exchange)) refused += 1;
    if (!echo || isRefused(exchange) || holdsText(exchange, text)) continue;
    const actual = bounded(textOfOutcome(outcome), 4000);
    findings.push(wrong(`A text of ${what} came back changed.`, { expected: text, actual, detail }));
  }
  findings.push(...(await stillAnswers(server, 'after texts of all writings', check)));
  if (findings.length > 0 || refused === 0) return findings;
  const ofAll = `${refused} of ${hardTexts.length} texts were refused.`;
  if (refused === hardTexts.length && !echo) return { skipped: `${ofAll} Name a tool that takes them.` };
  check.note(ofAll);
  return findings;
}
