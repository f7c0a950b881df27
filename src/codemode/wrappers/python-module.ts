import type { KnownTool } from '../known-tools.js';
import { cleanLine } from './foreign-text.js';
import type { ToolNames } from './names.js';
import type { Input } from './parameters.js';
import { describeFunction } from './python-description.js';
import { docstring, lines, pythonHeader, pythonString } from './python-text.js';
import { createPythonTypes } from './python-types.js';
import { parametersOf } from './signature.js';
import { understand } from './understand.js';

const longestLine = 100;

/** The file of one tool: its types, its function, and the same to be awaited. */
export function renderToolModule(server: string, known: KnownTool, names: ToolNames): string {
  const { input, result, declarations } = understand(known, names);
  const types = createPythonTypes(declarations);
  const parameters = parametersOf(input, types);
  const returned = types.expression(result);
  const call = callOf(server, known, input);
  const body = [
    ...declarations
      .map(types.declaration)
      .filter((declared) => declared.length > 0)
      .flatMap((declared) => ['', '', ...declared]),
    '',
    '',
    ...headOf(`def ${names.function}`, parameters, returned),
    ...docstring(describeFunction(known, input), '    '),
    ...bracketed('    return _call', call),
    '',
    '',
    ...headOf(`async def ${names.asyncFunction}`, parameters, returned),
    `    """The same as ${names.function}, awaited."""`,
    ...bracketed('    return await _call_async', call),
  ];
  return lines([
    pythonHeader,
    ...docstring(`${cleanLine(known.tool.name, 100)} of the MCP server ${cleanLine(server, 100)}.`, ''),
    '',
    'from __future__ import annotations',
    '',
    ...importsOf([...types.imports], parameters),
    ...body,
  ]);
}

function importsOf(fromTyping: readonly string[], parameters: readonly string[]): readonly string[] {
  const isUnset = parameters.some((parameter) => parameter.endsWith(' = UNSET'));
  const saysUnset = parameters.some((parameter) => parameter.endsWith(' | Unset = UNSET'));
  const ours = [...(isUnset ? ['UNSET'] : []), ...(saysUnset ? ['Unset'] : [])];
  return [
    ...(fromTyping.length > 0 ? [`from typing import ${[...fromTyping].sort().join(', ')}`, ''] : []),
    `from mcp_execution.wrappers import ${[...ours, 'call as _call', 'call_async as _call_async'].join(', ')}`,
  ];
}

function callOf(server: string, { tool, result }: KnownTool, input: Input): readonly string[] {
  const given = [pythonString(server), pythonString(tool.name), argumentsOf(input)];
  return result?.isJsonText === true ? [...given, 'json_text=True'] : given;
}

function argumentsOf(input: Input): string {
  if (input.kind === 'arguments') return input.isRequired ? 'arguments' : 'arguments or {}';
  const given = input.parameters.map(({ key, name }) => `${pythonString(key)}: ${name}`);
  return `{${[...given, ...(input.more === undefined ? [] : [`**${input.more}`])].join(', ')}}`;
}

function headOf(name: string, parameters: readonly string[], returned: string): readonly string[] {
  const line = `${name}(${parameters.join(', ')}) -> ${returned}:`;
  if (line.length <= longestLine || parameters.length === 0) return [line];
  return [`${name}(`, ...parameters.map((parameter) => `    ${parameter},`), `) -> ${returned}:`];
}

function bracketed(name: string, parts: readonly string[]): readonly string[] {
  const line = `${name}(${parts.join(', ')})`;
  return line.length <= longestLine ? [line] : [`${name}(`, ...parts.map((part) => `        ${part},`), '    )'];
}
