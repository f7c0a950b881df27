import type { Outcome, RpcError } from '../../testedserver.js';
import type { JsonObject } from '../../toolbox.js';
import type { Finding } from '../report.js';
import type { Expect } from '../suite/schema-expect.js';
import { answerOf, textOf } from './answer.js';
import { bounded, shown } from './shown.js';
import { checkText } from './text.js';

type Answered = Exclude<Outcome, { readonly kind: 'none' }>;

/** No answer is never what was expected. */
export function noAnswer(outcome: Extract<Outcome, { readonly kind: 'none' }>): Finding {
  const { code, message } = outcome;
  return { kind: 'no_answer', code, message: `There was no answer: ${message.replace(/\.$/, '')}.` };
}

/** Whether the answer is an error, or none, as expected. Where it is not, nothing else of it needs to be looked at. */
export function checkError(expected: Expect['error'], outcome: Answered): readonly Finding[] {
  if (expected === false) return failureOf(outcome);
  if (expected === true) return saysError(outcome) ? [] : [unexpectedResult(outcome, 'an error')];
  if (outcome.kind === 'result') return [unexpectedResult(outcome, 'a JSON-RPC error')];
  return checkRpcError(expected, outcome.error);
}

export function saysError(outcome: Answered): boolean {
  return outcome.kind === 'error' || outcome.result.isError === true;
}

function failureOf(outcome: Answered): readonly Finding[] {
  if (!saysError(outcome)) return [];
  const said = outcome.kind === 'error' ? outcome.error.message : textOf(outcome.result);
  const beginning = outcome.kind === 'error' ? rpcErrorText(outcome.error) : `The tool says that it failed:`;
  return [
    {
      kind: 'error',
      message: `${beginning} ${shown(said)}; expected a result without error.`,
      actual: bounded(answerOf(outcome)),
      ...(said.includes('\n') && { detail: String(bounded(said)) }),
    },
  ];
}

function unexpectedResult(outcome: Answered, expected: string): Finding {
  const answer = answerOf(outcome);
  const kind = saysError(outcome) ? 'a result that says isError' : 'a result';
  const message = `The server answered with ${kind}, ${shown(resultText(answer))}; expected ${expected}.`;
  return { kind: 'error', message, actual: bounded(answer) };
}

function resultText(answer: JsonObject): string {
  const text = textOf(answer);
  return text === '' ? JSON.stringify(bounded(answer)) : text;
}

function checkRpcError(expected: Exclude<Expect['error'], boolean>, { code, message }: RpcError): readonly Finding[] {
  const wrongCode = expected.code !== undefined && expected.code !== code;
  return [
    ...(wrongCode
      ? [
          {
            kind: 'error',
            message: `The code of the error is ${code} (${shown(message)}); expected ${expected.code}.`,
            path: '$.error.code',
            expected: expected.code,
            actual: code,
          },
        ]
      : []),
    ...(expected.message === undefined
      ? []
      : checkText(expected.message, message, 'The message of the error', 'error')),
  ];
}

function rpcErrorText({ code }: RpcError): string {
  return `The server answered with the error ${code}:`;
}
