import type { JsonObject, ToolResult } from '../../toolbox.js';
import type { GeneratedServer, GenerateResult, ToolChange } from '../code-execution.js';
import { counted, listed, onOneLine, shownName } from './foreign-text.js';
import type { HostPaths } from './host-paths.js';
import { textBlock } from './present-run.js';

const mostServers = 100;
const mostChanges = 50;

/** Which modules there are now, a line each. */
export function presentGenerated(result: GenerateResult, paths: HostPaths): ToolResult {
  const { servers, written, removed, unchanged } = result;
  const more = servers.length - mostServers;
  const lines = [
    ...servers.slice(0, mostServers).map((server) => lineOf(server, paths)),
    ...(more > 0 ? [`and ${counted(more, 'more server')}`] : []),
    `Files: ${written.length} written, ${removed.length} removed, ${unchanged} unchanged.`,
  ];
  const isError = servers.length > 0 && servers.every(({ failure }) => failure !== undefined);
  return {
    content: [textBlock(lines.join('\n'))],
    structuredContent: {
      servers: servers.slice(0, mostServers).map((server) => describe(server, paths)),
      written: written.length,
      removed: removed.length,
      unchanged,
    },
    ...(isError && { isError }),
  };
}

function lineOf({ server, module, tools, changes, isPinned, failure }: GeneratedServer, paths: HostPaths): string {
  const name = shownName(server);
  if (failure) return `${name}: ${failure.code}: ${onOneLine(paths.hide(failure.message))}`;
  const found = `${name}: ${counted(tools, 'tool')}, from servers.${module} import …`;
  if (changes.length === 0) return found;
  const what = kinds.flatMap((kind) => changesOf(changes, kind)).join('; ');
  const state = isPinned ? ' Not taken over: the user has to accept that.' : '';
  return `${found}. Since the last time ${what}.${state}`;
}

const kinds = ['added', 'changed', 'removed'] as const;

function changesOf(changes: readonly ToolChange[], kind: ToolChange['change']): readonly string[] {
  const tools = changes.filter(({ change }) => change === kind).map(({ tool }) => tool);
  return tools.length === 0 ? [] : [`${kind}: ${listed(tools, 10, 400)}`];
}

function describe(generated: GeneratedServer, paths: HostPaths): JsonObject {
  const { server, module, tools, changes, isPinned, failure } = generated;
  return {
    server,
    module,
    tools,
    isPinned,
    ...(changes.length > 0 && {
      changes: changes.slice(0, mostChanges).map(({ tool, change }) => ({ tool, change })),
    }),
    ...(failure && { failure: { code: failure.code, message: onOneLine(paths.hide(failure.message)) } }),
  };
}
