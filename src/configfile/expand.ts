import type { Path } from './place.js';

/** What stands in a text for something else: `${NAME}` and `${env:NAME}` for a variable, `${input:id}` for an input. */
export interface Reference {
  readonly scope: 'env' | 'input' | 'editor';
  readonly name: string;
  /** As it is written. */
  readonly written: string;
}

export interface References {
  valueOf(reference: Reference): string | undefined;
  /** Told of one that has no value and no default; what it gives comes in its place. */
  onUnset(path: Path, reference: Reference): string;
  /** Whether the text at a path stays as it is. */
  isLiteral?(path: Path): boolean;
}

/** `$${` is `${` itself. A default, after `:-`, may hold one more reference. */
const form =
  /\$\$\{|\$\{(?:(?:env:)?(?<variable>[A-Za-z_]\w*)(?::-(?<fallback>(?:\$\{[^{}]*\}|[^}])*))?|input:(?<input>[^}\s-][^}]*)|(?<editor>\/|(?:command|config|workspaceFolder):[^}\s-][^}]*))\}/g;

/** Every text with its references replaced. What comes in their place is never read again. */
export function expandReferences(value: unknown, references: References): unknown {
  const at: (string | number)[] = [];
  return expand(value);

  function expand(each: unknown): unknown {
    if (typeof each === 'string') return each.includes('${') ? expandAt([...at], each) : each;
    if (Array.isArray(each)) return expandItems(each);
    return typeof each === 'object' && each !== null ? expandMembers(each) : each;
  }

  /** Most of a file has no references, and is not copied. */
  function expandItems(items: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const expanded = expandBelow(index, item);
      if (expanded === item) continue;
      copy ??= [...items];
      copy[index] = expanded;
    }
    return copy ?? items;
  }

  function expandMembers(members: object): object {
    let copy: Map<string, unknown> | undefined;
    for (const name of Object.keys(members)) {
      const item: unknown = Reflect.get(members, name);
      const expanded = expandBelow(name, item);
      if (expanded === item) continue;
      copy ??= new Map(Object.entries(members));
      copy.set(name, expanded);
    }
    return copy === undefined ? members : Object.fromEntries(copy);
  }

  function expandBelow(step: string | number, item: unknown): unknown {
    at.push(step);
    const expanded = expand(item);
    at.pop();
    return expanded;
  }

  function expandAt(path: Path, text: string): string {
    return references.isLiteral?.(path) ? text : expandText(text, path);
  }

  function expandText(text: string, path: Path): string {
    // Beyond the last brace no reference ends, and looking for an end from each beginning would take long.
    const [whole, rest] = splitAfterLast(text, '}');
    let result = '';
    let end = 0;
    for (const found of whole.matchAll(form)) {
      result += whole.slice(end, found.index) + replaced(found, path);
      end = found.index + found[0].length;
    }
    return result + whole.slice(end) + rest.replaceAll('$${', () => '${');
  }

  function replaced({ 0: written, groups = {} }: RegExpExecArray, path: Path): string {
    const reference = referenceOf(written, groups);
    if (reference === undefined) return '${';
    const { fallback } = groups;
    const set = references.valueOf(reference);
    if (fallback !== undefined) return set === undefined || set === '' ? expandText(fallback, path) : set;
    return set ?? references.onUnset(path, reference);
  }
}

/** Every text with `${VARIABLE}` and `${VARIABLE:-default}` replaced. One that is not set is told of, with its place. */
export function expandVariables(
  value: unknown,
  environment: NodeJS.ProcessEnv,
  onUnset: (path: Path, variable: string) => never,
): unknown {
  return expandReferences(value, {
    valueOf: ({ scope, name, written }) => (scope === 'env' ? variableIn(environment, name) : written),
    onUnset: (path, { name }) => onUnset(path, name),
  });
}

/** An object has more than was put into it: its prototype's names are no variables. */
export function variableIn(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value: unknown = environment[name];
  return typeof value === 'string' ? value : undefined;
}

function splitAfterLast(text: string, letter: string): readonly [string, string] {
  const at = text.lastIndexOf(letter) + 1;
  return [text.slice(0, at), text.slice(at)];
}

type Groups = Readonly<Record<string, string | undefined>>;

function referenceOf(written: string, { variable, input, editor }: Groups): Reference | undefined {
  if (variable !== undefined) return { scope: 'env', name: variable, written };
  if (input !== undefined) return { scope: 'input', name: input, written };
  return editor === undefined ? undefined : { scope: 'editor', name: editor, written };
}
