import { ExecutionError } from '../../errors.js';
import type { TestedServer } from '../../testedserver.js';
import { cut } from '../expect/shown.js';
import type { CaseReport, Finding } from '../report.js';
import { type CheckPart, type CheckRun, isSkipped, type Skipped } from './check.js';
import type { CheckInput } from './checks.js';
import { sentence, wrong } from './findings.js';

export async function runPart(id: string, part: CheckPart, input: CheckInput): Promise<CaseReport> {
  const startedAt = performance.now();
  const notes: string[] = [];
  const watched = watchServers(input);
  const verdict = await verdictOf(part, createRun(input, watched.server, notes));
  const ended = input.signal?.aborted ? { skipped: 'The run was ended before it was through.' } : verdict;
  const findings = isSkipped(ended) ? [] : ended;
  const reasons = isSkipped(ended) ? [ended.skipped, ...notes] : notes;
  const stderr = watched.lastWords();
  return {
    id,
    name: id,
    kind: 'check',
    ...(part.target === undefined ? {} : { target: cut(part.target) }),
    tags: ['check'],
    status: statusOf(ended),
    ...(reasons.length === 0 ? {} : { reason: reasons.join(' ') }),
    findings,
    durationMs: performance.now() - startedAt,
    runs: isSkipped(ended) ? 0 : 1,
    failedRuns: findings.length === 0 ? 0 : 1,
    attempts: isSkipped(ended) ? 0 : 1,
    isFlaky: false,
    validators: [],
    ...(findings.length === 0 || stderr.length === 0 ? {} : { stderr }),
  };
}

async function verdictOf(part: CheckPart, run: CheckRun): Promise<readonly Finding[] | Skipped> {
  try {
    return await part.run(run);
  } catch (error) {
    if (error instanceof ExecutionError) {
      return [{ kind: 'server', message: sentence(error.message), code: error.code }];
    }
    return [wrong(`The check could not be made: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

function statusOf(verdict: readonly Finding[] | Skipped): CaseReport['status'] {
  if (isSkipped(verdict)) return 'skipped';
  return verdict.length === 0 ? 'passed' : 'failed';
}

function createRun(input: CheckInput, server: () => Promise<TestedServer>, notes: string[]): CheckRun {
  const { tools, examples, timeoutMs, signal, open } = input;
  const run: CheckRun = {
    tools,
    examples,
    timeoutMs,
    signal,
    open,
    server,
    async ask(method, params, options) {
      const asked = await server();
      return asked.request(method, params, { timeoutMs, signal, ...options });
    },
    call: (name, args, options) => run.ask('tools/call', { name, arguments: args }, options),
    note(text) {
      notes.push(text);
    },
  };
  return run;
}

/** Remembers the server that was asked last: what it wrote belongs to the report of a failure. */
function watchServers({ server }: CheckInput): {
  readonly server: () => Promise<TestedServer>;
  lastWords(): readonly string[];
} {
  let last: TestedServer | undefined;
  return {
    async server() {
      last = await server();
      return last;
    },
    lastWords: () => last?.lastWords() ?? [],
  };
}
