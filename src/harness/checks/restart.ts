import { ExecutionError } from '../../errors.js';
import type { TestedServer } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { CheckPlan, CheckRun, Skipped } from './check.js';
import { sentence, wrong } from './findings.js';
import { stillRunning } from './running.js';
import { toolChanges } from './tool-changes.js';
import { listTools } from './tools.js';

export const planRestart: CheckPlan<'restart'> = () => [{ run: restart }];

/** On servers of its own: first as one is ended that is no longer needed, then by force in the middle of a request. */
async function restart(check: CheckRun): Promise<readonly Finding[] | Skipped> {
  const server = await check.open({ signal: check.signal });
  if (server.pid === undefined) {
    await server.close();
    return { skipped: 'The server is at an address: it cannot be started again from here.' };
  }
  if (server.served?.isShared) await letGoOfShared(check);
  const findings: Finding[] = [];
  let tools = await live(check, server, findings, close);
  for (const { when, end } of lives) {
    const again = await reopen(check, when);
    if ('finding' in again) return [...findings, again.finding];
    const now = await live(check, again.server, findings, end);
    if (tools && now) findings.push(...toolChanges(tools, now, when));
    tools = now;
  }
  return findings;
}

/** The suite's own session would keep the one process that there is; it is opened again for whoever needs it next. */
async function letGoOfShared(check: CheckRun): Promise<void> {
  await check
    .server()
    .then((own) => own.close())
    .catch(() => {});
}

type End = (server: TestedServer, check: CheckRun) => Promise<readonly Finding[]>;

const lives: readonly { readonly when: string; readonly end: End }[] = [
  { when: 'after it was closed', end: killInTheMidst },
  { when: 'after it was killed', end: close },
];

async function reopen(
  check: CheckRun,
  when: string,
): Promise<{ readonly server: TestedServer } | { readonly finding: Finding }> {
  try {
    return { server: await check.open({ signal: check.signal }) };
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    const message = `The server did not come up again ${when}. ${sentence(error.message)}`;
    return { finding: { kind: 'server', message, code: error.code } };
  }
}

/** Lists the tools of a server and ends it; nothing of it may be left. */
async function live(
  check: CheckRun,
  server: TestedServer,
  findings: Finding[],
  end: End,
): Promise<readonly JsonValue[] | undefined> {
  try {
    const list = await listTools(server, check);
    const pids = (await server.usage())?.pids ?? (server.pid === undefined ? [] : [server.pid]);
    findings.push(...(await end(server, check)));
    findings.push(...(await leftBehind(pids)));
    if ('tools' in list) return list.tools;
    findings.push(list.finding);
    return undefined;
  } finally {
    await server.close();
  }
}

async function close(server: TestedServer): Promise<readonly Finding[]> {
  await server.close();
  return [];
}

async function killInTheMidst(server: TestedServer, check: CheckRun): Promise<readonly Finding[]> {
  const underWay = server.request('tools/list', {}, check);
  killProcess(server.pid);
  const { outcome } = await underWay;
  await server.close();
  if (outcome.kind !== 'none' || outcome.code !== 'TIMEOUT') return [];
  return [wrong('A request to the server was not given up when its process was killed: it timed out.')];
}

/** It may have ended by itself in this moment. */
function killProcess(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {}
}

async function leftBehind(pids: readonly number[]): Promise<readonly Finding[]> {
  const left = await stillRunning(pids);
  if (left.length === 0) return [];
  const what = left.length === 1 ? 'A process' : `${left.length} processes`;
  return [wrong(`${what} of the server ran on after the server had ended.`, { expected: 0, actual: left.length })];
}
