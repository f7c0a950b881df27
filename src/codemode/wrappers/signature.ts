import type { KnownTool } from '../known-tools.js';
import type { ToolNames } from './names.js';
import { type Input, mustBeGiven, type Parameter } from './parameters.js';
import { createPythonTypes, type PythonTypes, pythonScalar } from './python-types.js';
import { understand } from './understand.js';
import { anyType } from './value-type.js';

const longestShown = 12;

/** `create_issue(title: str, body: str = ...) -> CreateIssueResult`, on one line. */
export function signatureOf(known: KnownTool, names: ToolNames): string {
  const { input, result, declarations } = understand(known, names);
  const { expression } = createPythonTypes(declarations);
  const show = (parameter: Parameter) => {
    const type = expression(parameter.type);
    if (mustBeGiven(parameter)) return `${parameter.name}: ${type}`;
    return `${parameter.name}: ${type} = ${parameter.default === undefined ? '...' : pythonScalar(parameter.default)}`;
  };
  const open = (isRequired: boolean) => `arguments: dict[str, Any]${isRequired ? '' : ' = ...'}`;
  return `${names.function}(${listed(input, show, open).join(', ')}) -> ${expression(result)}`;
}

/** `create_issue(title, body?)`: as short as it can be said. */
export function shortSignatureOf(known: KnownTool, names: ToolNames): string {
  const show = (parameter: Parameter) => `${parameter.name}${mustBeGiven(parameter) ? '' : '?'}`;
  const shown = listed(understand(known, names).input, show, (isRequired) => `arguments${isRequired ? '' : '?'}`);
  const rest = shown.length > longestShown ? ['…'] : [];
  return `${names.function}(${[...shown.slice(0, longestShown), ...rest].join(', ')})`;
}

/** What stands between the brackets of the generated function. */
export function parametersOf(input: Input, { expression }: PythonTypes): readonly string[] {
  const show = (parameter: Parameter) => {
    const type = expression(parameter.type);
    if (mustBeGiven(parameter)) return `${parameter.name}: ${type}`;
    if (parameter.default !== undefined) return `${parameter.name}: ${type} = ${pythonScalar(parameter.default)}`;
    return `${parameter.name}: ${type === 'Any' ? type : `${type} | Unset`} = UNSET`;
  };
  const open = (isRequired: boolean) =>
    `arguments: ${expression({ kind: 'map', values: anyType })}${isRequired ? '' : ' | None = None'}`;
  return listed(input, show, open).map((text) => (text.startsWith('**') ? `${text}: ${expression(anyType)}` : text));
}

function listed(
  input: Input,
  show: (parameter: Parameter) => string,
  open: (isRequired: boolean) => string,
): readonly string[] {
  if (input.kind === 'arguments') return [open(input.isRequired)];
  return [...input.parameters.map(show), ...(input.more === undefined ? [] : [`**${input.more}`])];
}
