import { resolve } from 'node:path';
import { CallerError, ExecutionError, LimitError } from '../../errors.js';
import type { Log } from '../../log.js';
import { nearest } from '../../nearest.js';
import type { ListedTools, ToolSource } from '../../toolsource.js';
import type { GeneratedServer, GenerateOptions, GenerateResult } from '../code-execution.js';
import type { KnownServer, ResultSchema } from '../known-tools.js';
import { eachAtOnce } from './at-once.js';
import { cleanLine, cleanProse } from './foreign-text.js';
import { serverModules } from './names.js';
import { type Listed, pin } from './pinning.js';
import { type PinnedServer, type Pins, readPins } from './pins.js';
import { renderServers } from './render.js';
import { inTurn } from './turn.js';
import { writeGenerated, writingAlone } from './write.js';

export { summaryOf } from './foreign-text.js';
export { serverModules, type ToolNames, toolNames } from './names.js';
export { changesSince, pinnedTools } from './pinning.js';
export { createPinsReader, type PinnedServer, type PinnedTool, type Pins, readPins } from './pins.js';
export { signatureOf } from './signature.js';

export interface Generation {
  readonly source: ToolSource;
  /** The folder `servers`. */
  readonly folder: string;
  /** What is known of the results of tools that declare nothing of them. */
  readonly resultSchemas: (server: string, tool: string) => ResultSchema | undefined;
  readonly options?: GenerateOptions;
  readonly log?: Log;
}

const serversAtOnce = 8;
const longestDescription = 4000;

type Answer = { readonly listed: Listed } | { readonly failure: NonNullable<GeneratedServer['failure']> };

/** Makes Python of the tools of the servers. What one of them does wrong stops no other. */
export async function generate(generation: Generation): Promise<GenerateResult> {
  const { source, options = {} } = generation;
  const folder = resolve(generation.folder);
  const servers = chosenServers(source.names, options.servers);
  // A lock that cannot be read is told of before any server is started.
  await readPins(folder);
  const answers = await askServers(generation, servers);
  if (options.signal?.aborted) throw cancelled(options.signal);
  return inTurn(folder, () =>
    writingAlone(folder, async () => write({ ...generation, folder }, answers, await readPins(folder))),
  );
}

async function askServers(
  { source, options = {}, log }: Generation,
  servers: readonly string[],
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  await eachAtOnce(serversAtOnce, servers, async (server) => {
    if (options.signal?.aborted) return;
    const answer = await source.list(server, { fresh: true, signal: options.signal }).then(
      (tools): Answer => ({ listed: listedOf(tools) }),
      (error: unknown): Answer => {
        log?.warn('the tools of a server could not be listed', { server, error });
        return { failure: failureOf(server, error) };
      },
    );
    answers.set(server, answer);
    const message = `${cleanLine(server, 80)}: ${outcomeOf(answer)}`;
    await options.onEvent?.({ type: 'progress', done: answers.size, total: servers.length, message });
  });
  // As they stand in the config, and not as they answered.
  return new Map([...answers].sort(([one], [other]) => servers.indexOf(one) - servers.indexOf(other)));
}

async function write(
  { source, folder, resultSchemas, options = {}, log }: Generation,
  answers: ReadonlyMap<string, Answer>,
  before: Pins,
): Promise<GenerateResult> {
  const kept = [...before.servers].filter(([name]) => options.servers !== undefined || source.names.includes(name));
  const modules = serverModules([...source.names, ...kept.map(([name]) => name)]);
  const pinned = new Map(kept.map(([name, server]) => [name, { ...server, module: modules.get(name) ?? name }]));
  const reports = [...answers].map(([server, answer]): GeneratedServer => {
    const known = pinned.get(server);
    const about = { server, module: modules.get(server) ?? server };
    if ('failure' in answer) {
      return { ...about, tools: known?.tools.size ?? 0, changes: [], isPinned: false, failure: answer.failure };
    }
    const taken = pin(known, answer.listed, about.module, options.acceptChanges === true);
    pinned.set(server, taken.pinned);
    const { changes, isPinned } = taken;
    if (isPinned) log?.warn('the tools of a server changed since they were generated', { server, changes });
    return { ...about, tools: taken.pinned.tools.size, changes, isPinned };
  });
  const hasTypescript = options.language === undefined ? before.hasTypescript : options.language === 'typescript';
  const known = [...pinned].map(([name, server]) => knownServer(name, server, resultSchemas));
  const files = renderServers(known, { hasTypescript, modules });
  const pins = { hasTypescript, servers: pinned, files: [...files.keys()] };
  return { folder, servers: reports, ...(await writeGenerated(folder, files, pins, before)) };
}

function knownServer(
  name: string,
  { description, tools }: PinnedServer,
  results: Generation['resultSchemas'],
): KnownServer {
  return {
    name,
    description,
    tools: [...tools.values()].map(({ tool }) => ({
      tool,
      result: tool.outputSchema ? { schema: tool.outputSchema, origin: 'declared' } : results(name, tool.name),
    })),
  };
}

function chosenServers(known: readonly string[], wanted: readonly string[] | undefined): readonly string[] {
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown === undefined) return wanted ? known.filter((name) => wanted.includes(name)) : known;
  const meant = nearest(unknown, known);
  const hint = meant === undefined ? '' : `; did you mean ${cleanLine(meant, 80)}?`;
  throw new CallerError(
    'UNKNOWN_SERVER',
    `The config names no server ${cleanLine(JSON.stringify(unknown), 80)}${hint}`,
  );
}

function listedOf({ tools, title, instructions }: ListedTools): Listed {
  const said = cleanProse([title, instructions].filter(Boolean).join('\n\n'), longestDescription);
  return { tools, description: said === '' ? undefined : said };
}

function outcomeOf(answer: Answer): string {
  if ('failure' in answer) return `failed with ${answer.failure.code}`;
  const { length } = answer.listed.tools;
  return `${length} tool${length === 1 ? '' : 's'}`;
}

function failureOf(server: string, error: unknown): NonNullable<GeneratedServer['failure']> {
  if (error instanceof ExecutionError) return { code: error.code, message: cleanLine(error.message, 500) };
  return { code: 'SERVER_FAILED', message: `The tools of ${cleanLine(server, 80)} could not be listed` };
}

function cancelled(signal: AbortSignal): LimitError {
  return new LimitError('CANCELLED', 'Generating was cancelled; nothing was written', {}, { cause: signal.reason });
}
