import type { ContentBlock, JsonObject } from './toolbox.js';

interface FileOfResult {
  readonly name: string;
  readonly mimeType: string;
  readonly data: Buffer;
}

/** What clients show as a picture; a drawing in SVG is text to them. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const textTypes =
  /^(text\/.*|.*\+(json|xml|yaml)|application\/(json|jsonl|ndjson|x-ndjson|yaml|x-yaml|xml|toml|sql|javascript|x-sh))$/;

/** A file that came with a result: a picture, a sound, or a resource within the result. */
export function blockOfFile({ name, mimeType, data }: FileOfResult): ContentBlock {
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (pictures.includes(type)) return { type: 'image', data: data.toString('base64'), mimeType: type };
  if (type.startsWith('audio/')) return { type: 'audio', data: data.toString('base64'), mimeType: type };
  return { type: 'resource', resource: { uri: uriOf(name), mimeType, ...contentOf(data, type) } };
}

function uriOf(name: string): string {
  return `mcp-exec://files/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/** What says that it is text, and is not, is given as bytes. */
function contentOf(data: Buffer, type: string): JsonObject {
  const text = textTypes.test(type) ? textOf(data) : undefined;
  return text === undefined ? { blob: data.toString('base64') } : { text };
}

function textOf(data: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}
