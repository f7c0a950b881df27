import type { ContentBlock, JsonObject, Tool, ToolResult } from '../toolbox.js';

/** What a server answered to a call. Blocks of kinds that are not known here are passed on as they are. */
export function readResult(answer: Readonly<Record<string, unknown>>): ToolResult {
  const { content, structuredContent, isError } = answer;
  return {
    content: Array.isArray(content) ? content.filter(isContentBlock) : [],
    ...(isJsonObject(structuredContent) && { structuredContent }),
    ...(isError === true && { isError }),
  };
}

export interface ToolPage {
  readonly tools: readonly Tool[];
  /** Entries that are no tools. */
  readonly leftOut: number;
  readonly nextCursor?: string;
}

export function readToolPage({ tools, nextCursor }: Readonly<Record<string, unknown>>): ToolPage {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const read = listed.map(readTool).filter((tool) => tool !== undefined);
  return {
    tools: read,
    leftOut: listed.length - read.length,
    ...(typeof nextCursor === 'string' && nextCursor !== '' && { nextCursor }),
  };
}

function readTool(value: unknown): Tool | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== 'string' || name === '') return undefined;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
  };
}

/** The protocol grows new kinds; whoever shows a block looks at its type anyway. */
function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value.type === 'string';
}

/** Whatever came over the wire was parsed from JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
