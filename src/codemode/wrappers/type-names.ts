import { typeName } from './names.js';
import { builtinNames, hardKeywords, usedByModules } from './reserved-names.js';

/** The names of types within one file, each given once. */
export interface TypeNames {
  claim(hint: string): string;
}

const reserved = new Set([...hardKeywords, ...builtinNames, ...usedByModules]);

export function createTypeNames(taken: Iterable<string>): TypeNames {
  const given = new Set(taken);
  const counts = new Map<string, number>();
  return {
    claim(hint) {
      const plain = typeName(...hint.split(' '));
      let count = counts.get(plain) ?? 1;
      let name = count === 1 ? plain : `${plain}${count}`;
      while (given.has(name) || reserved.has(name)) name = `${plain}${++count}`;
      counts.set(plain, count);
      given.add(name);
      return name;
    },
  };
}
