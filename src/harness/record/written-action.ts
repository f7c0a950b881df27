import { type Action, subjectOf } from './action.js';
import { literalText } from './literals.js';
import { plainLine } from './plain-line.js';
import type { Wording } from './wording.js';
import type { CaseInput } from './writer.js';

/** What a case does, in the words of a suite. */
export function writtenAction(action: Action, wording: Wording): Omit<CaseInput, 'name'> {
  const { tool, prompt, resource, list, request, params } = action;
  const { name } = subjectOf(action);
  const where = `the input of ${plainLine(name, 60)}`;
  return {
    ...(tool !== undefined && { tool: literalText(tool) }),
    ...(prompt !== undefined && { prompt: literalText(prompt) }),
    ...(resource !== undefined && { resource: wording.text(resource, where) }),
    ...(list !== undefined && { list }),
    ...(request !== undefined && { request: literalText(request) }),
    ...(action.arguments && { arguments: wording.input(action.arguments, where) }),
    ...(params && { params: wording.input(params, where) }),
  };
}
