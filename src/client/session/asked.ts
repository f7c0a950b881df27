import type { JsonObject } from '../../toolbox.js';
import { isJsonObject } from '../results.js';

type Answer =
  | { readonly result: { [key: string]: unknown } }
  | { readonly error: { readonly code: number; readonly message: string } };

const methodNotFound = -32601;
const refused = -1;

/** Nobody is there to be asked: what was declared is answered in the negative, all else is not known. */
export function answerToServer(method: string, declared: Readonly<Record<string, object>>): Answer {
  if (method === 'ping') return { result: {} };
  if (method === 'elicitation/create' && declared.elicitation) return { result: { action: 'decline' } };
  if (method === 'roots/list' && declared.roots) return { result: { roots: [] } };
  if (method === 'sampling/createMessage' && declared.sampling) {
    return { error: { code: refused, message: 'Nobody is there to approve of sampling' } };
  }
  return { error: { code: methodNotFound, message: 'Method not found' } };
}

/** What a server of the newer revision asks in place of a result. */
export function questionsIn({ resultType, inputRequests }: JsonObject): readonly string[] {
  if (resultType !== 'input_required' || !isJsonObject(inputRequests)) return [];
  return Object.values(inputRequests).flatMap((each) =>
    isJsonObject(each) && typeof each.method === 'string' ? [each.method] : [],
  );
}
