import { cleanProse } from './foreign-text.js';
import type { Declaration, Field, Scalar, ValueType } from './value-type.js';

const longestDescription = 2000;

export function typescriptExpression(type: ValueType): string {
  switch (type.kind) {
    case 'any':
      return 'unknown';
    case 'literal':
      return type.values.map(typescriptScalar).join(' | ');
    case 'list':
      return `(${typescriptExpression(type.items)})[]`;
    case 'tuple':
      return `[${type.items.map(typescriptExpression).join(', ')}]`;
    case 'map':
      return `{ [key: string]: ${typescriptExpression(type.values)} }`;
    case 'union':
      return type.members.map(typescriptExpression).join(' | ');
    case 'named':
      return type.name;
    case 'integer':
      return 'number';
    default:
      return type.kind;
  }
}

export function typescriptDeclaration(one: Declaration): readonly string[] {
  if (one.kind === 'alias') return [`export type ${one.name} = ${typescriptExpression(one.type)};`];
  return [...typescriptComment(one.description, ''), ...typescriptInterface(one.name, one.fields)];
}

export function typescriptInterface(name: string, fields: readonly Field[], isOpen = false): readonly string[] {
  return [
    `export interface ${name} {`,
    ...fields.flatMap(({ key, type, isRequired, description }) => [
      ...typescriptComment(description, '  '),
      `  ${typescriptKey(key)}${isRequired ? '' : '?'}: ${typescriptExpression(type)};`,
    ]),
    ...(isOpen ? ['  [key: string]: unknown;'] : []),
    '}',
  ];
}

export function typescriptKey(key: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) ? key : typescriptScalar(key);
}

/** A comment that no text can end early. */
export function typescriptComment(text: string | undefined, indent: string): readonly string[] {
  const [first = '', ...rest] = cleanProse(text ?? '', longestDescription)
    .replaceAll('*/', '* /')
    .split('\n');
  if (rest.length === 0) return first === '' ? [] : [`${indent}/** ${first} */`];
  return [`${indent}/**`, ...[first, ...rest].map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

function typescriptScalar(value: Scalar): string {
  const json = JSON.stringify(value) ?? 'null';
  return json.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, escaped);
}

function escaped(letter: string): string {
  return [...Array(letter.length).keys()]
    .map((index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
