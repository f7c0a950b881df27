import { dirname } from 'node:path';
import type { OpenServer, TestedServer } from '../../testedserver.js';
import { bareSuite } from '../record/bare-suite.js';
import { type LeftOut, leftOutLines, withoutSecrets } from '../record/left-out.js';
import { createPassing } from '../record/passing.js';
import { variableLines } from '../record/recorded-suite.js';
import { createSecrets, type SecretVariable } from '../record/secrets.js';
import { type ServerInput, withoutServerSecrets } from '../record/server-secrets.js';
import type { SuiteNotes } from '../record/writer.js';
import { suiteOf } from '../suite/read.js';
import type { SuiteInput } from '../suite/schema.js';
import { type DraftedCases, draftCases } from './cases.js';
import { type DraftedChecks, draftChecks, draftStdout } from './checks.js';
import { tryAll } from './passes.js';
import { type Plan, planCases } from './plan.js';
import { createServers, type Servers } from './servers.js';

export interface DraftOptions {
  /** How the suite names the server. */
  readonly server: ServerInput;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables of the server that the suite takes from the environment, by their names. */
  readonly taken?: readonly string[];
  /** Tools that are called although they do not say that they only read; none that says that it destroys. */
  readonly mayCall?: readonly string[];
  /** Time for each answer. */
  readonly timeoutMs: number;
  /** What the suite will be called by whoever runs it. */
  readonly file?: string;
  /** Starts the same server anew: what is expected is then what two servers answered, and not one twice. */
  readonly open?: OpenServer;
  readonly signal?: AbortSignal;
  /** Told what is being done. */
  readonly note?: (line: string) => void;
}

export interface Draft {
  readonly suite: SuiteInput;
  /** For `writeSuite`. */
  readonly notes: SuiteNotes;
  readonly leftOut: readonly LeftOut[];
  /** Variables that stand for secrets. */
  readonly variables: readonly SecretVariable[];
  /** Tools that were called, and may have added something: they say that they destroy nothing, not that they only read. */
  readonly writing: readonly string[];
}

const usualFile = 'suite.yaml';

/** A first suite for a server, of what it answers to calls that do no harm. All of it holds when it is written. */
export async function draftSuite(server: TestedServer, options: DraftOptions): Promise<Draft> {
  const { open, note = () => {} } = options;
  const { name, version, capabilities } = server.introduction;
  const first = createServers(server, open);
  const second = createServers(undefined, open);
  const secrets = createSecrets(options.environment, options.taken);
  const isPassing = createPassing(options.environment)(new Date());
  try {
    note('Asking the server what it has');
    const plan = await planCases(server, options);
    note(`Trying ${plan.actions.length} requests, each twice`);
    const once = await tryAll(plan.actions, first, options);
    const again = open && (await second.current()) ? second : first;
    const twice = await tryAll(once.good.keys(), again, options);
    const named = withoutServerSecrets(options.server, secrets, options.taken);
    const drafted = await draftCases(plan, once, twice, { secrets, isPassing });
    const [title, own] = [[name, version].join(' ').trim(), name].map((each) => each && secrets.hidden(each));
    const bare = bareSuite({ name: own, server: named, capabilities, cases: drafted.cases });
    const { variables } = secrets;
    note('Trying the built-in checks');
    const tried = await checksFor({ bare, plan, drafted, variables }, again, options);
    const stdout = draftStdout([...first.all, ...second.all]);
    const checks = { ...tried.checks, ...stdout.checks };
    const suite = Object.keys(checks).length > 0 ? { ...bare, checks } : bare;
    const leftOut = [...drafted.leftOut, ...tried.leftOut, ...stdout.leftOut].map((each) =>
      withoutSecrets(each, secrets),
    );
    const about = `A first suite for ${title || 'an MCP server'}: what it answered when this was written.`;
    return {
      suite,
      leftOut,
      variables,
      writing: drafted.writing,
      notes: notesOf(about, drafted, leftOut, variables, options),
    };
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

interface SoFar {
  readonly bare: SuiteInput;
  readonly plan: Plan;
  readonly drafted: DraftedCases;
  readonly variables: readonly SecretVariable[];
}

async function checksFor(soFar: SoFar, servers: Servers, options: DraftOptions): Promise<DraftedChecks> {
  const { bare, plan, drafted, variables } = soFar;
  if (plan.tools.length === 0) return { checks: {}, leftOut: [] };
  const { timeoutMs, signal, file = usualFile } = options;
  const server = async () => (await servers.current()) ?? Promise.reject(new Error('The MCP server had ended'));
  const unset = Object.fromEntries(variables.map(({ name }) => [name, 'secret']));
  const suite = await suiteOf(bare, { environment: { ...unset, ...options.environment }, folder: dirname(file) });
  const { tools } = plan;
  return draftChecks({
    suite,
    tools,
    examples: drafted.examples,
    server,
    open: options.open ?? server,
    timeoutMs,
    signal,
  });
}

function notesOf(
  title: string,
  { cases, remarks, writing }: DraftedCases,
  leftOut: readonly LeftOut[],
  variables: readonly SecretVariable[],
  { file = usualFile, server }: DraftOptions,
): SuiteNotes {
  const hasSkipped = cases.some(({ skip }) => skip !== undefined);
  const ending = hasSkipped
    ? ['Calls that were left out are skipped cases at the end: without the line skip one is run.']
    : [];
  const added = writing.length > 0 ? [`Called, though they may add something: ${writing.join(', ')}.`] : [];
  const head = [
    title,
    `Run it: mcp-exec test ${file}`,
    ...variableLines(variables),
    ...environmentLines(server),
    ...added,
    ...leftOutLines(leftOut),
    ...ending,
  ];
  return { head, cases: remarks };
}

/** Whoever has a server that answers as if it had no key may wonder why. */
function environmentLines(server: ServerInput): string[] {
  const hasProcess = 'command' in server || 'script' in server;
  return hasProcess && server.env === undefined
    ? ['The server gets a few safe variables, such as PATH and HOME; others stand under server.env (init --env NAME).']
    : [];
}
