import type { ClientSide, Reply } from '../../testedserver.js';
import type { JsonObject, JsonValue } from '../../toolbox.js';
import { explain, knownNames } from './explain.js';
import { type ClientSpec, type Elicited, type FilledClient, filledSchema, type Sampled } from './schema-client.js';
import { fillValues, UnknownValue, type Values } from './values.js';

/** What a client declares and answers, with the values of the run in it. Throws an UnknownValue where that cannot be. */
export function clientSideOf(spec: ClientSpec, values: Values): ClientSide {
  const { roots, elicitation, sampling } = filled(spec, values);
  const elicited = allOf(elicitation);
  const forms = elicited.flatMap((each) => (isUrl(each) ? [] : [each]));
  const urls = elicited.filter(isUrl);
  return {
    capabilities: {
      ...(roots && { roots: {} }),
      ...(elicited.length > 0 && {
        elicitation: { ...(forms.length > 0 && { form: {} }), ...(urls.length > 0 && { url: {} }) },
      }),
      ...(sampling !== undefined && { sampling: {} }),
    },
    replies: {
      ...(roots && { roots: [{ result: { roots: roots.map(rootOf) } }] }),
      ...(forms.length > 0 && { elicitation: forms.map(formReply) }),
      ...(urls.length > 0 && { 'url elicitation': urls.map(({ url }) => ({ result: { action: url } })) }),
      ...(sampling !== undefined && { sampling: allOf(sampling).map(samplingReply) }),
    },
  };
}

/** A value may take the place of a whole answer, and need not be one. */
function filled(spec: ClientSpec, values: Values): FilledClient {
  const given = fillValues(spec as JsonObject, values);
  const parsed = filledSchema.safeParse(given, { error: knownNames });
  if (parsed.success) return parsed.data;
  const [first] = explain(parsed.error.issues, given);
  const where = ['client', ...(first?.path ?? [])].join('.');
  throw new UnknownValue('', `${where} has no right form with its values in it: ${first?.reason}`);
}

function allOf<T>(given: T | readonly T[] | undefined): readonly T[] {
  if (given === undefined) return [];
  return isList(given) ? given : [given];
}

function isList<T>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

type UrlAnswer = Extract<Elicited, { readonly url: string }>;

function isUrl(answer: Elicited): answer is UrlAnswer {
  return typeof answer === 'object' && 'url' in answer;
}

function formReply(answer: Exclude<Elicited, UrlAnswer>): Reply {
  if (typeof answer === 'string') return { result: { action: answer } };
  return { result: { action: 'accept', content: answer.accept } };
}

/** The code that MCP has for a person who does not approve. */
const refused = -1;

function samplingReply(answer: Sampled): Reply {
  if (typeof answer === 'object' && 'error' in answer) return { error: { code: refused, message: answer.error } };
  const {
    text,
    model = 'suite',
    role = 'assistant',
    stop_reason: stopReason = 'endTurn',
  } = typeof answer === 'string' ? { text: answer } : answer;
  return { result: { role, content: { type: 'text', text }, model, stopReason } };
}

function rootOf(root: NonNullable<ClientSpec['roots']>[number]): JsonValue {
  return typeof root === 'string' ? { uri: root } : { ...root };
}
