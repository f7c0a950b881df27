import type { Finding } from '../report.js';
import type { CheckPart, CheckPlan, CheckRun } from './check.js';
import { readingChoices, type TextChoice, textChoices } from './choice.js';
import { sendText } from './echo.js';
import { isRefused, named, sentence, unanswered } from './findings.js';
import { skippedPart, withArgument } from './scope.js';
import { stillAnswers } from './tools.js';

const defaultBytes = 1_000_000;

export const planLarge: CheckPlan<'large'> = (options, given) => {
  if (options !== true) {
    return [withArgument(options, given.tools, (tool) => partOf({ ...options, tool }, options.bytes))];
  }
  const [choice] = textChoices(readingChoices(given));
  return [choice ? partOf(choice, defaultBytes) : skippedPart(nothingFits)];
};

const nothingFits =
  'No passed case calls a read-only tool with a text; say which with large: { tool: NAME, argument: NAME }.';

function partOf(choice: TextChoice, bytes: number): CheckPart {
  return { target: choice.tool.name, run: (check) => sendLarge(check, choice, bytes) };
}

async function sendLarge(check: CheckRun, choice: TextChoice, bytes: number): Promise<readonly Finding[]> {
  const server = await check.server();
  const exchange = await sendText(server, choice, 'x'.repeat(bytes), check);
  const { outcome } = exchange;
  const findings = await stillAnswers(server, `after a call with ${bytes} bytes`, check);
  if (outcome.kind !== 'none') {
    if (isRefused(exchange)) check.note(`${bytes} bytes were refused.`);
    return findings;
  }
  // an address refuses what is too much for it with an HTTP status
  if ((server.pid === undefined || server.served) && outcome.code === 'SERVER_FAILED' && findings.length === 0) {
    check.note(`The address did not take ${bytes} bytes. ${sentence(outcome.message)}`);
    return [];
  }
  const what = `A call of ${named(choice.tool.name)} with ${bytes} bytes in ${named(choice.argument)}`;
  return [unanswered(what, outcome), ...findings];
}
