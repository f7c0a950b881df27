import type { CalledTool } from '../codemode/code-execution.js';
import type { ReturnedFile } from '../engine/work.js';
import type { ContentBlock, JsonObject } from '../toolbox.js';
import { printableJson } from './harmless.js';

/** What an answer says in words: structured content as JSON, or else its texts and links; these first where it is a failure. */
export function textOf({ content, structuredContent, isError }: CalledTool): string {
  const texts = content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'resource_link' ? [block.uri] : [];
  });
  const isSaid = isError && texts.length > 0;
  return structuredContent === undefined || isSaid ? texts.join('\n') : printableJson(structuredContent);
}

/** What else comes with an answer, under names that are safe to write. */
export function filesOf(content: readonly ContentBlock[], tool: string): readonly ReturnedFile[] {
  const files = content.flatMap((block) => {
    const file = fileOf(block);
    return file === undefined ? [] : [file];
  });
  return files.map(({ name, mimeType, data }, index) => {
    const number = files.length === 1 ? '' : `-${index + 1}`;
    const own = `${safeName(tool) ?? 'file'}${number}.${endingOf(mimeType)}`;
    return { name: (name && safeName(name)) ?? own, mimeType: shownType(mimeType), data };
  });
}

interface ForeignFile {
  readonly name?: string;
  readonly mimeType: string;
  readonly data: Buffer;
}

function fileOf(block: ContentBlock): ForeignFile | undefined {
  if (block.type === 'image' || block.type === 'audio') {
    return { mimeType: block.mimeType, data: Buffer.from(block.data, 'base64') };
  }
  return block.type === 'resource' ? fileOfResource(block.resource) : undefined;
}

function fileOfResource({ uri, mimeType, text, blob }: JsonObject): ForeignFile {
  const isText = typeof text === 'string';
  const usual = isText ? 'text/plain' : 'application/octet-stream';
  return {
    name:
      typeof uri === 'string'
        ? uri
            .replace(/[?#].*$/s, '')
            .split(/[\\/]/)
            .at(-1)
        : undefined,
    mimeType: typeof mimeType === 'string' ? mimeType : usual,
    data: isText ? Buffer.from(text) : Buffer.from(typeof blob === 'string' ? blob : '', 'base64'),
  };
}

const longestName = 100;

/** Letters, digits and a few signs; nothing that is hidden, and no path. */
function safeName(name: string): string | undefined {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^[._]+|[._]+$/g, '');
  return safe === '' ? undefined : safe.slice(-longestName).replace(/^[._]+/, '');
}

const endings: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
};

function endingOf(mimeType: string): string {
  const [, , subtype = 'bin'] = /^(\w+)\/(\w{1,8})$/.exec(mimeType) ?? [];
  return endings[mimeType] ?? subtype.toLowerCase();
}

function shownType(mimeType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType.slice(0, longestName) : 'application/octet-stream';
}
