import type { Finding } from '../report.js';
import type { CheckOptions, CheckPlan, CheckRun, Skipped } from './check.js';
import { wrong } from './findings.js';
import { lintTools, type Remark } from './lint/lint.js';
import { chooseTools } from './scope.js';
import { listTools } from './tools.js';

const mostFindings = 100;
const mostAdvice = 5;

export const planSchemas: CheckPlan<'schemas'> = (options, { tools }) => {
  const { missing } = chooseTools(options, tools, () => true);
  return [{ run: (check) => lint(check, options) }, ...missing];
};

async function lint(check: CheckRun, options: CheckOptions<'schemas'>): Promise<readonly Finding[] | Skipped> {
  const server = await check.server();
  const list = await listTools(server, check);
  // Whoever does not offer tools need not list them.
  const offersTools = check.tools.length > 0 || server.introduction.capabilities.tools !== undefined;
  if ('finding' in list) return offersTools ? [list.finding] : { skipped: list.finding.message };
  if (list.tools.length === 0) return { skipped: 'The server lists no tools.' };
  const { tools, except, ignore = [], strict = false } = options === true ? {} : options;
  const isMeant = (name: string) => (tools?.includes(name) ?? true) && !except?.includes(name);
  const remarks = (await lintTools(list.tools, isMeant)).filter(({ rule }) => !ignore.includes(rule));
  const isError = ({ level }: Remark) => strict || level === 'error';
  tellAdvice(
    check,
    remarks.filter((remark) => !isError(remark)),
  );
  return findingsOf(remarks.filter(isError));
}

function findingsOf(remarks: readonly Remark[]): readonly Finding[] {
  const findings = remarks.slice(0, mostFindings).map(({ message }) => wrong(message));
  const left = remarks.length - findings.length;
  return left > 0 ? [...findings, wrong(`${left} more things are wrong with the tools.`)] : findings;
}

function tellAdvice(check: CheckRun, remarks: readonly Remark[]): void {
  for (const { message } of remarks.slice(0, mostAdvice)) check.note(`Advice: ${message}`);
  const left = remarks.length - mostAdvice;
  if (left > 0) check.note(`${left} more pieces of advice; schemas: { strict: true } tells them all.`);
}
