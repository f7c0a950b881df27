/** An annotation of Python that can be written down, with the JSON values that are worth trying on it. */
export type Annotation =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'bounded'; readonly of: Annotation; readonly bounds: readonly string[] }
  | { readonly kind: 'optional' | 'list' | 'set' | 'deque' | 'tuple-of'; readonly of: Annotation }
  | { readonly kind: 'union' | 'tuple'; readonly of: readonly Annotation[] }
  | { readonly kind: 'dict'; readonly key: Annotation; readonly of: Annotation }
  | { readonly kind: 'recursive'; readonly of: Annotation }
  | { readonly kind: 'literal'; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: 'enum'; readonly base: string; readonly members: readonly (readonly [string, string | number])[] }
  | {
      readonly kind: 'record';
      readonly form: 'dataclass' | 'TypedDict' | 'NamedTuple';
      readonly fields: readonly { readonly of: Annotation; readonly optional: boolean }[];
    };

export const fieldNames = ['kind', 'size', 'class_', 'naïve'];

export const signatures = [
  'x: T',
  'x: "T"',
  'x: T = None',
  'x: T, /',
  '*, x: T',
  '*x: T',
  '**rest: T',
  'x: Alias',
] as const;

/** The source of a module whose function `f` takes one `x` of that annotation. */
export function moduleOf(annotation: Annotation, signature: (typeof signatures)[number]): string {
  const classes: string[] = [];
  const written = write(annotation, classes);
  const usesAlias = signature.endsWith('Alias');
  const alias = usesAlias ? `Alias = ${written}\n` : '';
  const parameter = usesAlias ? signature : signature.replace(/T\b/, () => quotable(signature, written));
  return `${imports}\n${classes.join('\n')}\n${alias}\ndef f(${parameter}) -> ${usesAlias ? 'Alias' : written}:\n    return x\n`;
}

function quotable(signature: string, written: string): string {
  return signature.includes('"') ? written.replaceAll('"', "'") : written;
}

const imports = `import re
from collections import deque
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union
from uuid import UUID
from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen, MultipleOf
from pydantic import Field
`;

function write(annotation: Annotation, classes: string[]): string {
  switch (annotation.kind) {
    case 'scalar':
      return annotation.name;
    case 'bounded':
      return `Annotated[${write(annotation.of, classes)}, ${annotation.bounds.join(', ')}]`;
    case 'optional':
      return `Optional[${write(annotation.of, classes)}]`;
    case 'tuple-of':
      return `tuple[${write(annotation.of, classes)}, ...]`;
    case 'list':
    case 'set':
    case 'deque':
      return `${annotation.kind}[${write(annotation.of, classes)}]`;
    case 'union':
      return `Union[${annotation.of.map((member) => write(member, classes)).join(', ')}]`;
    case 'tuple':
      return `tuple[${annotation.of.map((item) => write(item, classes)).join(', ') || '()'}]`;
    case 'dict':
      return `dict[${write(annotation.key, classes)}, ${write(annotation.of, classes)}]`;
    case 'literal':
      return `Literal[${annotation.values.map(python).join(', ')}]`;
    case 'recursive':
      return writeRecursive(write(annotation.of, classes), classes);
    case 'enum':
      return writeEnum(annotation.base, annotation.members, classes);
    case 'record':
      return writeRecord(annotation, classes);
  }
}

function writeEnum(base: string, members: readonly (readonly [string, string | number])[], classes: string[]): string {
  const name = `E${classes.length}`;
  classes.push(`class ${name}(${base}):\n${members.map(([key, value]) => `    ${key} = ${python(value)}\n`).join('')}`);
  return name;
}

function writeRecursive(inner: string, classes: string[]): string {
  const name = `N${classes.length}`;
  classes.push(`@dataclass\nclass ${name}:\n    kind: ${inner}\n    size: Optional["list[${name}]"] = None\n`);
  return name;
}

function writeRecord(record: Extract<Annotation, { kind: 'record' }>, classes: string[]): string {
  const fields = record.fields.map(({ of, optional }, index) => ({
    line: `    ${fieldNames[index]}: ${write(of, classes)}`,
    optional,
  }));
  const name = `R${classes.length}`;
  const isTyped = record.form === 'TypedDict';
  // the fields with a default come last, as Python asks
  const ordered = isTyped ? fields : [...fields].sort((one, other) => Number(one.optional) - Number(other.optional));
  const lines = ordered.map(({ line, optional }) => (optional && !isTyped ? `${line} = None` : line));
  const total = isTyped && fields.every(({ optional }) => optional) ? ', total=False' : '';
  const head = record.form === 'dataclass' ? `@dataclass\nclass ${name}:` : `class ${name}(${record.form}${total}):`;
  classes.push(`${head}\n${lines.join('\n') || '    pass'}\n`);
  return name;
}

function python(value: string | number | boolean | null): string {
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}
