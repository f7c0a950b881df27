import type { JsonObject, ToolResult } from '../../toolbox.js';
import type { DiscoverSchemasResult, ToolSchemaReport } from '../code-execution.js';
import { counted, onOneLine, shownName } from './foreign-text.js';
import type { HostPaths } from './host-paths.js';
import { textBlock } from './present-run.js';

const mostLines = 40;
const mostTools = 500;

/** What is known of results now: counts of what was declared, and a line for each tool of which something was learnt or not. */
export function presentDiscovered({ tools, failures }: DiscoverSchemasResult, paths: HostPaths): ToolResult {
  const of = (origin: ToolSchemaReport['origin']) => tools.filter((tool) => tool.origin === origin);
  const [declared, inferred, unknown] = [of('declared'), of('inferred'), of('none')];
  const worthTelling = [...inferred, ...unknown];
  const more = worthTelling.length - mostLines;
  const lines = [
    `${counted(tools.length, 'tool')}: ${declared.length} declare what they return, of ${inferred.length} it was inferred, of ${unknown.length} it is not known.`,
    ...worthTelling.slice(0, mostLines).map((tool) => lineOf(tool, paths)),
    ...(more > 0 ? [`and ${counted(more, 'more tool')}`] : []),
    ...failures
      .slice(0, mostLines)
      .map(({ server, code, message }) => `${shownName(server)}: ${code}: ${onOneLine(paths.hide(message))}`),
  ];
  const isError = tools.length === 0 && failures.length > 0;
  return {
    content: [textBlock(lines.join('\n'))],
    structuredContent: {
      tools: tools.slice(0, mostTools).map((tool) => describe(tool, paths)),
      failures: failures.slice(0, mostTools).map(({ server, code, message }) => ({
        server,
        code,
        message: onOneLine(paths.hide(message)),
      })),
    },
    ...(isError && { isError }),
  };
}

function lineOf({ server, tool, origin, samples, reason, drift }: ToolSchemaReport, paths: HostPaths): string {
  const name = `${shownName(server)}/${shownName(tool)}`;
  const state = origin === 'inferred' ? `inferred from ${counted(samples, 'answer')}` : 'not known';
  const why = [reason, drift].filter((text) => text !== undefined).map((text) => onOneLine(paths.hide(text)));
  return [`${name}: ${state}`, ...why].join('; ');
}

function describe({ server, tool, origin, samples, reason, drift }: ToolSchemaReport, paths: HostPaths): JsonObject {
  return {
    server,
    tool,
    origin,
    samples,
    ...(reason !== undefined && { reason: onOneLine(paths.hide(reason)) }),
    ...(drift !== undefined && { drift: onOneLine(paths.hide(drift)) }),
  };
}
