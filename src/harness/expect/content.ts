import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';
import { blocksOf } from './answer.js';
import { cut, harmless } from './shown.js';

interface Block {
  readonly type: string;
  readonly mime?: string;
}

const toldAtMost = 100;

/** The types of content blocks in their order; of a resource, whether it is text or a blob. */
export function checkContent(expected: NonNullable<Expect['content']>, result: JsonObject): readonly Finding[] {
  const wanted = expected.map((each): Block => (typeof each === 'string' ? { type: each } : each));
  const blocks = blocksOf(result);
  if (blocks === undefined) {
    return [{ kind: 'content', message: 'The answer has no content blocks.', expected: wanted.map(toJson) }];
  }
  const found = blocks.map(blockOf);
  if (found.length === wanted.length && wanted.every((each, index) => fits(each, found[index]))) return [];
  return [
    {
      kind: 'content',
      message: `The content is ${listed(found)}; expected ${listed(wanted)}.`,
      expected: wanted.map(toJson),
      actual: found.slice(0, toldAtMost).map(toJson),
    },
  ];
}

function blockOf(block: JsonValue): Block {
  if (!isJsonObject(block)) return { type: 'none' };
  const holder = isJsonObject(block.resource) ? block.resource : block;
  const mime = typeof holder.mimeType === 'string' ? holder.mimeType : undefined;
  const type = typeof block.type === 'string' ? block.type : typeof block.blob === 'string' ? 'blob' : 'text';
  return mime === undefined ? { type } : { type, mime };
}

function fits(wanted: Block, found: Block | undefined): boolean {
  if (found === undefined || wanted.type !== found.type) return false;
  return wanted.mime === undefined || wanted.mime.toLowerCase() === found.mime?.toLowerCase();
}

function listed(blocks: readonly Block[]): string {
  if (blocks.length === 0) return 'empty';
  const words = blocks.slice(0, 20).map(({ type, mime }) => cut(mime === undefined ? type : `${type} (${mime})`, 100));
  const left = blocks.length - words.length;
  return harmless(words.join(', ')) + (left > 0 ? ` and ${left} more` : '');
}

function toJson({ type, mime }: Block): JsonValue {
  return mime === undefined ? { type } : { type, mime };
}
