import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { invalidRequest, parseError, Refused } from './refusals.js';

/** Deeper than anything that is meant: what walks through it recursively would run out of stack. */
const deepestNesting = 500;

/** Bodies of a scope are JSON, and what is none is refused in the words of JSON-RPC. */
export function takeJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseBody(body),
  );
}

export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Refused(400, parseError, 'The body is not UTF-8.');
  if (body.length > 2 * deepestNesting && isTooDeep(body)) {
    throw new Refused(400, invalidRequest, `The body is nested more than ${deepestNesting} levels deep.`);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refused(400, parseError, 'The body is not JSON. Send one JSON-RPC message, or an array of them.');
  }
}

const quote = 0x22;
const backslash = 0x5c;
const opening = [0x5b, 0x7b];
const closing = [0x5d, 0x7d];

function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (isText && byte === backslash) at++;
    else if (byte === quote) isText = !isText;
    else if (!isText && opening.includes(byte) && ++depth > deepestNesting) return true;
    else if (!isText && closing.includes(byte)) depth--;
  }
  return false;
}
