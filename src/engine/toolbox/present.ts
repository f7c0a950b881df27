import type { ExecutionError } from '../../errors.js';
import { blockOfFile } from '../../fileblocks.js';
import type { ManifestTool } from '../../manifest/manifest.js';
import { type ContentBlock, isJsonObject, type JsonValue, type ToolResult } from '../../toolbox.js';
import type { RunResult } from '../work.js';
import { structured } from './result.js';

/** What a script gave back, as content for a model and as data for a program. */
export function presentResult(tool: ManifestTool, result: RunResult): ToolResult {
  const { value, stdout, stderr, files, figures } = result;
  const data = structured(tool, value);
  const isDescribed = tool.outputSchema !== undefined || tool.resultKey === undefined;
  return {
    content: [...textsOf(result).map(textBlock), ...files.map(blockOfFile)],
    ...(isDescribed && isJsonObject(data) ? { structuredContent: data } : {}),
    output: { stdout, stderr },
    figures,
  };
}

/** What went wrong, whole, as a result that a model can read and act on. */
export function presentFailure({ code, message, advice, fault, details }: ExecutionError): ToolResult {
  const { type, traceback, stdout = '', stderr = '', figures } = details;
  const isExit = type === 'SystemExit';
  const subject = [code === 'EXCEPTION' ? type : undefined, message].filter(Boolean).join(': ');
  const paragraphs = [
    `${code}: ${subject}`,
    isExit ? '' : (traceback ?? '').trimEnd(),
    printed('stdout', stdout),
    printed('stderr', stderr),
    fault === 'caller' ? '' : advice,
  ];
  return {
    content: [textBlock(paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'))],
    isError: true,
    code,
    output: { stdout, stderr },
    ...(figures ? { figures } : {}),
  };
}

/** What was printed is the answer of a script that returns nothing; otherwise it is kept apart. */
function textsOf({ value, stdout, files }: RunResult): readonly string[] {
  if (value !== null)
    return [textOf(value), printed('stdout', stdout)].filter((text, index) => index === 0 || text !== '');
  if (stdout !== '') return [stdout];
  return files.length > 0 ? [] : ['null'];
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function printed(stream: 'stdout' | 'stderr', text: string): string {
  return text.trim() === '' ? '' : `Printed to ${stream}:\n${text.trimEnd()}`;
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
