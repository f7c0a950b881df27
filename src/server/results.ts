import type { CallToolResult, ContentBlock as McpContent } from '@modelcontextprotocol/server';
import type { ContentBlock, JsonObject, ToolResult } from '../toolbox.js';
import { longestAnswerBytes } from './messages.js';
import { bounded, previewOf } from './preview.js';
import type { ResultStore, StoredResult } from './store.js';

export interface Presentation {
  readonly store: ResultStore;
  readonly previewBytes: number;
  /** A client refuses a result without structured content where the tool has an output schema. */
  readonly hasOutputSchema: boolean;
  readonly tool: string;
}

/** Images, sounds and structured content that a schema asks for cannot be shortened, and may be this much larger. */
const wholeFactor = 16;
/** All images and sounds of a result together may be this much larger than one of them. */
const mediaFactor = 4;
const outputShare = 4;
const smallestShare = 256;

/** A result as MCP says it. What is beyond the limit is shown as a preview, with a link to the whole. */
export function presentResult(result: ToolResult, presentation: Presentation): CallToolResult {
  const { content, isError } = presentContent(result, presentation);
  const structuredContent = isError && !result.isError ? undefined : keptStructure(result, presentation);
  const meta = metaOf(result, presentation.previewBytes);
  return {
    content,
    ...(structuredContent && { structuredContent: { ...structuredContent } }),
    ...(isError && { isError: true }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

function presentContent(result: ToolResult, presentation: Presentation) {
  const share = shareOf(result.content, presentation.previewBytes);
  const inline = inlineMedia(result.content, presentation);
  const content = result.content.flatMap((block) => presentBlock(block, share, presentation, inline));
  if (!mustFailForItsSize(result, presentation)) return { content, isError: result.isError === true };
  const bytes = sizeOfJson(result.structuredContent);
  const text = `The result takes ${bytes} bytes as JSON, which is more than the ${wholeBytes(presentation)} that structured content may have. The tool did its work; read its result from the resource.`;
  const links = content.some((block) => block.type === 'resource_link') ? [] : linkToStructure(result, presentation);
  return { content: [{ type: 'text' as const, text }, ...content, ...links], isError: true };
}

function linkToStructure({ structuredContent }: ToolResult, { store, tool }: Presentation): McpContent[] {
  const data = Buffer.from(JSON.stringify(structuredContent, null, 2));
  return [linkTo(store.put({ name: `${tool}.json`, mimeType: 'application/json', isText: true, data }))];
}

/** Few large blocks are shortened before many small ones: each may have an equal share of the limit. */
function shareOf(content: readonly ContentBlock[], previewBytes: number): number {
  const sizes = content.map(sizeOfBlock);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= previewBytes) return previewBytes;
  return Math.max(smallestShare, Math.floor(previewBytes / sizes.filter((size) => size > 0).length));
}

function sizeOfBlock(block: ContentBlock): number {
  if (block.type === 'text') return Buffer.byteLength(block.text);
  if (block.type === 'resource') return sizeOfResource(block.resource);
  return 0;
}

function sizeOfResource({ text, blob }: JsonObject): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : typeof blob === 'string' ? blob.length : 0;
}

/** The images and sounds that are shown where they stand: the first ones, as far as a message has room for them. */
function inlineMedia(content: readonly ContentBlock[], presentation: Presentation): ReadonlySet<ContentBlock> {
  let room = Math.min(wholeBytes(presentation) * mediaFactor, longestAnswerBytes / 2);
  const inline = new Set<ContentBlock>();
  for (const block of content) {
    if (block.type !== 'image' && block.type !== 'audio') continue;
    if (block.data.length > Math.min(room, wholeBytes(presentation))) continue;
    room -= block.data.length;
    inline.add(block);
  }
  return inline;
}

function presentBlock(
  block: ContentBlock,
  share: number,
  presentation: Presentation,
  inline: ReadonlySet<ContentBlock>,
): McpContent[] {
  switch (block.type) {
    case 'text':
      return sizeOfBlock(block) > share ? previewText(block.text, share, presentation) : [{ ...block }];
    case 'image':
    case 'audio':
      return inline.has(block) ? [{ ...block }] : linkToMedia(block, presentation);
    case 'resource':
      return presentResource(block.resource, share, presentation);
    default:
      return [{ ...block }];
  }
}

function previewText(text: string, share: number, { store, tool }: Presentation): McpContent[] {
  const isJson = /^\s*[[{]/.test(text);
  const stored = store.put({
    name: isJson ? `${tool}.json` : `${tool}.txt`,
    mimeType: isJson ? 'application/json' : 'text/plain',
    isText: true,
    data: Buffer.from(text),
  });
  return [{ type: 'text', text: previewOf(stored.data, share, howToRead(stored)) }, linkTo(stored)];
}

function howToRead({ uri }: StoredResult): string {
  return `The whole is the resource ${uri}; a part of it is ${uri}?offset=0&length=65536, in bytes.`;
}

function linkToMedia(
  { type, data, mimeType }: Extract<ContentBlock, { type: 'image' | 'audio' }>,
  { store, tool }: Presentation,
): McpContent[] {
  const name = `${tool}.${mimeType.split('/')[1] ?? type}`;
  const stored = store.put({ name, mimeType, isText: false, data: Buffer.from(data, 'base64') });
  const text = `The ${type} has ${stored.data.length} bytes, too many to be shown here: it is the resource ${stored.uri}.`;
  return [{ type: 'text', text }, linkTo(stored)];
}

function presentResource(resource: JsonObject, share: number, { store, tool }: Presentation): McpContent[] {
  const { uri, text, blob, mimeType } = resource;
  const kind = typeof mimeType === 'string' ? { mimeType } : {};
  const address = typeof uri === 'string' ? uri : `${tool}:result`;
  const isLarge = sizeOfResource(resource) > share;
  if (typeof text === 'string') {
    if (!isLarge) return [{ type: 'resource', resource: { uri: address, text, ...kind } }];
    const data = Buffer.from(text);
    return [linkTo(store.put({ name: nameIn(address), mimeType: 'text/plain', ...kind, isText: true, data }))];
  }
  const base64 = typeof blob === 'string' ? blob : '';
  if (!isLarge) return [{ type: 'resource', resource: { uri: address, blob: base64, ...kind } }];
  const data = Buffer.from(base64, 'base64');
  return [
    linkTo(store.put({ name: nameIn(address), mimeType: 'application/octet-stream', ...kind, isText: false, data })),
  ];
}

function nameIn(uri: string): string {
  return decodeURIComponentOr(uri.split('/').at(-1) ?? uri);
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function linkTo({ uri, name, mimeType, data }: StoredResult): McpContent {
  return { type: 'resource_link', uri, name, mimeType, size: data.length };
}

function keptStructure(result: ToolResult, { previewBytes, hasOutputSchema }: Presentation): JsonObject | undefined {
  if (result.structuredContent === undefined) return undefined;
  if (hasOutputSchema || sizeOfJson(result.structuredContent) <= previewBytes) return result.structuredContent;
  return undefined;
}

function mustFailForItsSize(result: ToolResult, presentation: Presentation): boolean {
  if (!presentation.hasOutputSchema || result.isError || result.structuredContent === undefined) return false;
  return sizeOfJson(result.structuredContent) > wholeBytes(presentation);
}

function wholeBytes({ previewBytes }: Presentation): number {
  return Math.min(previewBytes * wholeFactor, longestAnswerBytes / 4);
}

function sizeOfJson(value: JsonObject | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

function metaOf({ figures, output }: ToolResult, previewBytes: number): Record<string, unknown> {
  const maxBytes = Math.floor(previewBytes / outputShare);
  const { stdout = '', stderr = '' } = output ?? {};
  const printed = {
    ...(stdout !== '' && { stdout: bounded(stdout, maxBytes) }),
    ...(stderr !== '' && { stderr: bounded(stderr, maxBytes) }),
  };
  return {
    ...(figures && { 'mcp-execution/figures': figures }),
    ...(Object.keys(printed).length > 0 && { 'mcp-execution/output': printed }),
  };
}
