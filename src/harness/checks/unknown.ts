import { bounded } from '../expect/shown.js';
import type { CheckPlan } from './check.js';
import { isRefused, unanswered, wrong } from './findings.js';
import { stillAnswers } from './tools.js';

export const planUnknown: CheckPlan<'unknown'> = () => [
  {
    async run(check) {
      const server = await check.server();
      const name = unusedName(check.tools.map((tool) => tool.name));
      const exchange = await server.request('tools/call', { name, arguments: {} }, check);
      if (exchange.outcome.kind === 'none')
        return [unanswered(`A call of ${name}, which does not exist,`, exchange.outcome)];
      const findings = await stillAnswers(server, 'after the call of a tool that does not exist', check);
      if (isRefused(exchange)) return findings;
      return [
        wrong(`A call of ${name}, which does not exist, was answered as if it had worked.`, {
          expected: 'a JSON-RPC error, or a result with isError',
          actual: exchange.outcome.kind === 'result' ? bounded(exchange.outcome.result) : null,
        }),
        ...findings,
      ];
    },
  },
];

function unusedName(names: readonly string[]): string {
  let name = 'no_such_tool';
  while (names.includes(name)) name += '_';
  return name;
}
