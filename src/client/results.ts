import { type ContentBlock, isJsonObject, type Tool, type ToolResult } from '../toolbox.js';

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
  /** Why entries were left out, one reason for each. */
  readonly leftOut: readonly string[];
  readonly nextCursor?: string;
  /** How long the server says that the list stays as it is. */
  readonly ttlMs?: number;
}

export function readToolPage({ tools, nextCursor, ttlMs }: Readonly<Record<string, unknown>>): ToolPage {
  const read = (Array.isArray(tools) ? tools : []).map(readTool);
  return {
    tools: read.filter((entry) => typeof entry !== 'string'),
    leftOut: read.filter((entry) => typeof entry === 'string'),
    ...(typeof nextCursor === 'string' && nextCursor !== '' && { nextCursor }),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 && { ttlMs }),
  };
}

const longestName = 512;
const deepestTool = 100;
const largestTool = 1024 * 1024;

/** A tool, or why the entry is none that anybody could use. */
export function readTool(value: unknown): Tool | string {
  if (!isJsonObject(value)) return 'no object';
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== 'string' || name === '') return 'no name';
  if (name.length > longestName) return `a name of more than ${longestName} characters`;
  if (inputSchema !== undefined && inputSchema !== null && !isJsonObject(inputSchema))
    return 'a schema that is no object';
  const tool = {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
  };
  if (isDeeperThan(deepestTool, tool)) return `nested deeper than ${deepestTool} levels`;
  if (JSON.stringify(tool).length > largestTool) return `larger than ${largestTool} characters`;
  return tool;
}

/** Before anything else looks at it: much that walks through values fails on what is nested absurdly deep. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** The protocol grows new kinds; whoever shows a block looks at its type anyway. */
function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value.type === 'string';
}
