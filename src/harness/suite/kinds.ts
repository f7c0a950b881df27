/** What a value is, in a word or two: never the value itself, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return kinds[typeof value] ?? 'an object';
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  bigint: 'a number',
  boolean: 'true or false',
  function: 'a function',
  symbol: 'a symbol',
};
