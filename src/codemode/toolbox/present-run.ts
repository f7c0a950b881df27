import { blockOfFile } from '../../fileblocks.js';
import type { ContentBlock, JsonObject, JsonValue, ToolResult } from '../../toolbox.js';
import type { CutOutput, ExecuteResult } from '../code-execution.js';
import { callsSentence, summarise } from './calls-made.js';
import { onOneLine, shownName } from './foreign-text.js';
import type { HostPaths } from './host-paths.js';

const mostWarnings = 20;

/** What a script gave: its output first, then its value, then what is worth knowing of the run. */
export function presentRun(result: ExecuteResult, paths: HostPaths): ToolResult {
  const { run, value, stdout, stderr, files, calls, figures, cut, saved } = result;
  const warnings = result.warnings.slice(0, mostWarnings).map((warning) => onOneLine(paths.hide(warning)));
  const texts = [
    stdout.trimEnd(),
    value === null ? shownOfValue(cut) : textOf(value),
    stderr.trim() === '' ? '' : `stderr:\n${stderr.trimEnd()}`,
    notesOf(result, warnings),
  ].filter((text) => text !== '');
  const structuredContent: JsonObject = {
    run,
    value,
    stdout,
    stderr,
    calls: summarise(calls),
    warnings,
    cut: cut.map(({ stream, bytes, shownBytes, shown }) => ({ stream, bytes, shownBytes, ...(shown && { shown }) })),
    files: files.map(({ name, mimeType, data }) => ({ name, mimeType, bytes: data.length })),
    ...(saved !== undefined && { saved }),
  };
  return { content: [...texts.map(textBlock), ...files.map(blockOfFile)], structuredContent, figures };
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shownOfValue(cut: readonly CutOutput[]): string {
  return cut.find(({ stream }) => stream === 'value')?.shown ?? '';
}

function notesOf(result: ExecuteResult, warnings: readonly string[]): string {
  const { value, stdout, files, cut, saved, calls, callCount } = result;
  const isSilent = value === null && stdout.trim() === '' && files.length === 0 && cut.length === 0;
  const sentences = [
    isSilent ? 'The script printed nothing and gave no result: use print(...) or result(value).' : '',
    callsSentence(calls, callCount) ?? '',
    files.length > 0 ? `Files: ${files.map(({ name }) => shownName(name)).join(', ')}.` : '',
    saved === undefined ? '' : `Saved as ${shownName(saved)}.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return sentences.filter((sentence) => sentence !== '').join('\n');
}
