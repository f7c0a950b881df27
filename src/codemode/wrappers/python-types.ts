import { cleanLine } from './foreign-text.js';
import { docstring, pythonString } from './python-text.js';
import { hardKeywords, usedByModules } from './reserved-names.js';
import { type Declaration, type Field, namesIn, type Scalar, unionOf, type ValueType } from './value-type.js';

/** How types are said in Python; notes what must be imported for that. */
export interface PythonTypes {
  expression(type: ValueType): string;
  declaration(declared: Declaration): readonly string[];
  /** Names from `typing`. */
  readonly imports: ReadonlySet<string>;
}

type ObjectDeclaration = Extract<Declaration, { kind: 'object' }>;

const longestDescription = 400;
const longestFieldDescription = 160;

/** `declarations` are all types of the module. */
export function createPythonTypes(declarations: readonly Declaration[]): PythonTypes {
  const imports = new Set<string>();
  const declared = new Map(declarations.map((one) => [one.name, one]));
  const typing = (name: string) => {
    imports.add(name);
    return name;
  };
  return { expression, declaration, imports };

  function expression(type: ValueType): string {
    switch (type.kind) {
      case 'any':
      case 'never':
        return typing('Any');
      case 'literal':
        return `${typing('Literal')}[${type.values.map(pythonScalar).join(', ')}]`;
      case 'list':
        return `list[${expression(type.items)}]`;
      // JSON knows only lists, and a list is what a script gets.
      case 'tuple':
        return expression({ kind: 'list', items: unionOf(type.items) });
      case 'map':
        return `dict[str, ${expression(type.values)}]`;
      case 'union':
        return type.members.map(expression).join(' | ');
      case 'named':
        return ownName(type.name);
      default:
        return pythonKinds[type.kind];
    }
  }

  function declaration(one: Declaration): readonly string[] {
    if (one.kind === 'object') {
      // A key without a letter is one that type checkers refuse.
      const sayable = { ...one, fields: one.fields.filter(({ key }) => key !== '') };
      return sayable.fields.every(isPlain) ? classOf(sayable) : classOfOddKeys(sayable);
    }
    if (one.type.kind === 'named') return [];
    return [`${one.name}: ${typing('TypeAlias')} = ${evaluated(one.type)}`];
  }

  /** Another name for a named type is that one's, as Python could not combine a mere reference with other types. */
  function ownName(name: string): string {
    const one = declared.get(name);
    return one?.kind === 'alias' && one.type.kind === 'named' ? ownName(one.type.name) : name;
  }

  /** A type that Python evaluates when the module is loaded: what is not yet defined then stands in quotes. */
  function evaluated(type: ValueType): string {
    switch (type.kind) {
      case 'named':
        return `"${ownName(type.name)}"`;
      case 'union':
        return `${typing('Union')}[${type.members.map(evaluated).join(', ')}]`;
      case 'list':
        return `list[${evaluated(type.items)}]`;
      case 'map':
        return `dict[str, ${evaluated(type.values)}]`;
      case 'tuple':
        return evaluated({ kind: 'list', items: unionOf(type.items) });
      default:
        return expression(type);
    }
  }

  function classOf(one: ObjectDeclaration): readonly string[] {
    const required = one.fields.filter(({ isRequired }) => isRequired);
    const optional = one.fields.filter(({ isRequired }) => !isRequired);
    const base = typing('TypedDict');
    if (optional.length === 0) return body(`class ${one.name}(${base}):`, documented(one), required);
    if (required.length === 0) return body(`class ${one.name}(${base}, total=False):`, documented(one), optional);
    return [
      ...body(`class ${requiredName(one)}(${base}):`, [], required),
      '',
      '',
      ...body(`class ${one.name}(${requiredName(one)}, total=False):`, documented(one), optional),
    ];
  }

  function body(head: string, doc: readonly string[], fields: readonly Field[]): readonly string[] {
    const said = fields.map(({ key, type }) => `    ${key}: ${expression(type)}`);
    return [head, ...doc, ...(said.length > 0 ? said : ['    pass'])];
  }

  /** Keys that cannot be written as attributes are written as text. */
  function classOfOddKeys(one: ObjectDeclaration): readonly string[] {
    const required = one.fields.filter(({ isRequired }) => isRequired);
    const optional = one.fields.filter(({ isRequired }) => !isRequired);
    // Type checkers take no class that its own base speaks of, so here some keys that must be there only may be.
    if (isRecursive(one)) return functional(one.name, one.fields, optional.length > 0 ? ['    total=False,'] : []);
    const parts = [
      ...(required.length > 0 ? [{ name: requiredName(one), fields: required, options: [] }] : []),
      ...(optional.length > 0
        ? [{ name: `_${one.name}Optional`, fields: optional, options: ['    total=False,'] }]
        : []),
    ];
    const doc = documented(one);
    return [
      ...parts.flatMap(({ name, fields, options }) => functional(name, fields, options)),
      '',
      '',
      `class ${one.name}(${parts.map(({ name }) => name).join(', ')}):`,
      ...(doc.length > 0 ? doc : ['    pass']),
    ];
  }

  function functional(name: string, fields: readonly Field[], options: readonly string[]): readonly string[] {
    const lines = fields.map(({ key, type }) => `        ${pythonString(key)}: ${quoted(type)},`);
    return [`${name} = ${typing('TypedDict')}(`, `    "${name}",`, '    {', ...lines, '    },', ...options, ')'];
  }

  function isRecursive(one: ObjectDeclaration): boolean {
    const seen = new Set<string>();
    const waiting = [...namesIn(one)];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const next = declared.get(name);
      if (next && !seen.has(name)) waiting.push(...namesIn(next));
      seen.add(name);
    }
    return seen.has(one.name);
  }

  function quoted(type: ValueType): string {
    return `'${expression(type)}'`;
  }

  /** A key that has the name of a type would hide it from the keys after it. */
  function isPlain({ key }: Field): boolean {
    const isIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !key.startsWith('__') && !hardKeywords.has(key);
    return isIdentifier && !declared.has(key) && !namesInTypes.has(key);
  }
}

export function pythonScalar(value: Scalar): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? pythonString(value) : String(value);
}

const pythonKinds = { null: 'None', string: 'str', integer: 'int', number: 'float', boolean: 'bool' } as const;
const namesInTypes = new Set([...Object.values(pythonKinds), 'list', 'dict', ...usedByModules]);

function requiredName({ name }: ObjectDeclaration): string {
  return `_${name}Required`;
}

function documented({ description, fields }: ObjectDeclaration): readonly string[] {
  const ofFields = fields.flatMap((field) =>
    field.description === undefined
      ? []
      : [`${cleanLine(field.key, 60)}: ${cleanLine(field.description, longestFieldDescription)}`],
  );
  const said = cleanLine(description ?? '', longestDescription);
  const text = [said, ofFields.join('\n')].filter((part) => part !== '').join('\n\n');
  return text === '' ? [] : [...docstring(text, '    '), ''];
}
