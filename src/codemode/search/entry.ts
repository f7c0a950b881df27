import type { JsonSchema } from '../../toolbox.js';
import type { DescribedTool, ToolEntry } from '../code-execution.js';
import type { ResultSchema } from '../known-tools.js';
import { cleanProse, summaryOf } from '../wrappers/foreign-text.js';
import { shortSignatureOf, signatureOf } from '../wrappers/signature.js';
import type { CataloguedTool } from './catalogue.js';

const longestSignature = 200;
const longestFullSignature = 4000;
const longestDescription = 4000;
const longestSchema = 60_000;

/** What an agent reads to choose a tool, in few words. */
export function entryOf(catalogued: CataloguedTool): ToolEntry {
  const { server, tool } = catalogued;
  return {
    server,
    tool: tool.name,
    summary: summaryOf(tool.description ?? tool.title),
    signature: signatureWithin(longestSignature, catalogued),
    import: importOf(catalogued),
  };
}

/** All that is known of one tool, for whoever is about to call it. */
export function descriptionOf(catalogued: CataloguedTool): DescribedTool {
  const { server, tool, result } = catalogued;
  return {
    server,
    tool: tool.name,
    description: cleanProse(tool.description ?? tool.title ?? '', longestDescription),
    import: importOf(catalogued),
    signature: signatureWithin(longestFullSignature, catalogued),
    inputSchema: bounded(tool.inputSchema),
    ...(result && { resultSchema: bounded(result.schema), resultOrigin: originOf(result) }),
    ...(tool.annotations && { annotations: bounded(tool.annotations) }),
  };
}

function importOf({ module, names, hasWrapper }: CataloguedTool): string {
  if (!hasWrapper) return 'from mcp_execution import call_tool';
  return `from servers.${module} import ${names.function}`;
}

/** One that takes too much says only the names. */
function signatureWithin(longest: number, catalogued: CataloguedTool): string {
  const whole = signatureOf(catalogued, catalogued.names);
  return whole.length <= longest ? whole : shortSignatureOf(catalogued, catalogued.names);
}

function originOf({ origin, samples = 1 }: ResultSchema): string {
  if (origin === 'declared') return 'declared';
  return `inferred from ${samples === 1 ? 'one sample' : `${samples} samples`}`;
}

function bounded(schema: JsonSchema): JsonSchema {
  const length = lengthOf(schema);
  if (length <= longestSchema) return schema;
  return { $comment: 'Left out, because it is too long to be read. The signature names what there is.' };
}

/** What is nested too deeply to be written has no length. */
function lengthOf(schema: JsonSchema): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
