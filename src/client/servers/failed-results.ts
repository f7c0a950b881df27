import type { Redactor } from '../../redact.js';
import type { ContentBlock, ToolResult } from '../../toolbox.js';

const longestText = 100_000;
/** Longer than any secret: what may be half of one at the cut is not shown. */
const margin = 10_000;

/** A tool that says why it failed often quotes what it was configured with; what a tool gives is data, and stays as it is. */
export function withoutSecretsOfErrors(result: ToolResult, redactor: Redactor): ToolResult {
  if (!result.isError) return result;
  return { ...result, content: result.content.map((block) => cleaned(block, redactor)) };
}

function cleaned(block: ContentBlock, redactor: Redactor): ContentBlock {
  if (block.type !== 'text' || typeof block.text !== 'string') return block;
  if (block.text.length <= longestText) return { ...block, text: redactor.text(block.text) };
  const start = redactor.text(block.text.slice(0, longestText + margin)).slice(0, longestText);
  return { ...block, text: `${start}…` };
}
