import { CallerError } from '../../errors.js';
import { createQueue } from '../../queue/queue.js';
import type { Ask, JsonValue, OnAsk, ToolResult } from '../../toolbox.js';
import type { DescribedTool, OutputName, SearchOptions, SearchResult } from '../code-execution.js';
import { askMethods } from '../script-runner.js';
import { choiceOf, objectOf, textOf, wholeNumberOf } from './ask-fields.js';
import { nameOf } from './plain-text.js';
import { whenRoom } from './room.js';
import type { ToolCalls } from './tool-calls.js';
import type { Warnings } from './warnings.js';

/** The index of tools. */
export interface ToolIndex {
  search(options: SearchOptions): Promise<SearchResult>;
  /** Without a tool, the server is named with it. */
  describe(server: string, tool?: string, options?: { readonly signal?: AbortSignal }): Promise<DescribedTool>;
}

export interface BrokerOptions {
  readonly calls: ToolCalls;
  readonly index: ToolIndex;
  readonly servers: readonly string[];
  readonly warnings: Warnings;
  readOutput(asked: { readonly run: string; readonly stream: OutputName }): Promise<string>;
}

const asksAtOnce = 16;
const mostWaiting = 1000;
const mostFound = 200;
const streams = ['stdout', 'stderr', 'value'] as const satisfies readonly OutputName[];

/** Answers what a script asks. Nothing that a script says is trusted. */
export function createBroker({ calls, index, servers, warnings, readOutput }: BrokerOptions): OnAsk {
  const turns = createQueue({ concurrency: asksAtOnce, queueLength: mostWaiting });
  // Each may be of many megabytes.
  const outputTurns = createQueue({ concurrency: 1, queueLength: mostWaiting });
  const answers: Readonly<Record<string, (ask: Ask) => Promise<JsonValue>>> = {
    [askMethods.callTool]: callTool,
    [askMethods.searchTools]: inTurn(searchTools),
    [askMethods.describeTool]: inTurn(describeTool),
    [askMethods.readOutput]: inTurn(readKept, outputTurns),
    [askMethods.reportDrift]: reportDrift,
  };

  return async (ask) => {
    const answer = Object.hasOwn(answers, ask.method) ? answers[ask.method] : undefined;
    if (answer === undefined) throw new CallerError('INVALID_ARGUMENTS', 'The script asks for what no host answers');
    return answer(ask);
  };

  function inTurn(answer: (ask: Ask) => Promise<JsonValue>, queue = turns): (ask: Ask) => Promise<JsonValue> {
    return (ask) => queue.run(() => whenRoom(ask, () => answer(ask)), { signal: ask.signal });
  }

  function readKept({ params }: Ask): Promise<string> {
    return readOutput({ run: textOf(params, 'run'), stream: choiceOf(params, 'stream', streams) ?? 'stdout' });
  }

  async function callTool({ params, signal, room }: Ask): Promise<JsonValue> {
    const server = textOf(params, 'server');
    const tool = params.tool === undefined ? undefined : textOf(params, 'tool');
    return answerOf(await calls.call({ server, tool, arguments: objectOf(params, 'arguments'), room }, signal));
  }

  async function searchTools({ params, signal }: Ask): Promise<JsonValue> {
    const words = params.words === undefined ? undefined : textOf(params, 'words');
    const server = params.server === undefined ? undefined : textOf(params, 'server');
    const limit = wholeNumberOf(params, 'limit', mostFound);
    const found = await index.search({ words, limit, signal, ...(server !== undefined && { servers: [server] }) });
    for (const failure of found.failures) warnings.add(`${failure.server} could not be searched: ${failure.message}`);
    return found.tools.map(({ server: name, tool, summary, signature, import: line }) => ({
      server: name,
      tool,
      summary,
      signature,
      import: line,
    }));
  }

  async function describeTool({ params, signal }: Ask): Promise<JsonValue> {
    const tool = params.tool === undefined ? undefined : textOf(params, 'tool');
    return index.describe(textOf(params, 'server'), tool, { signal });
  }

  async function reportDrift({ params }: Ask): Promise<JsonValue> {
    const named = { server: textOf(params, 'server'), tool: textOf(params, 'tool') };
    if (servers.includes(named.server)) warnings.add(`${nameOf(named)}: ${textOf(params, 'problem')}`);
    return null;
  }
}

function answerOf({ content, structuredContent, isError, code }: ToolResult): JsonValue {
  return {
    content: content.map((block) => ({ ...block })),
    ...(structuredContent && { structuredContent }),
    ...(isError && { isError, ...(code !== undefined && { code }) }),
  };
}
