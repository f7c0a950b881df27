import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandReferences, expandVariables, type Reference } from '../../src/configfile/expand.js';

const environment = { A: 'one', EMPTY: '', B_2: 'two' };

describe('a reference in a text', () => {
  it.each([
    ['#{A}', 'one'],
    ['#{env:A}', 'one'],
    ['x#{A}y#{env:B_2}', 'xoneytwo'],
    ['#{A:-else}', 'one'],
    ['#{NOT:-else}', 'else'],
    ['#{env:NOT:-else}', 'else'],
    ['#{EMPTY:-else}', 'else'],
    ['#{EMPTY}', ''],
    ['#{NOT:-}', ''],
    ['#{NOT:-#{A}}', 'one'],
    ['#{NOT:-x#{env:B_2:-y}z}', 'xtwoz'],
    ['#{NOT:-a:-b}', 'a:-b'],
    ['#{env:-x}', 'x'],
    ['$#{A}', '#{A}'],
    ['$A #{ A } #{A', '$A #{ A } #{A'],
    ['#{A} $#{', 'one #{'],
    ['#{A:0:3}', '#{A:0:3}'],
    ['#{input:id} #{command:x} #{/}', '#{input:id} #{command:x} #{/}'],
  ])('%j becomes %j', (written, become) => {
    const expanded = expandVariables(withDollars(written), environment, (_, name) => {
      throw new Error(`${name} is not set`);
    });
    expect(expanded).toBe(withDollars(become));
  });

  it('that is not set is told of with its place', () => {
    const told: unknown[] = [];
    const expand = () =>
      expandVariables({ a: [{ b: withDollars('x#{NOT}') }] }, environment, (path, name) => {
        told.push([path, name]);
        throw new Error('not set');
      });
    expect(expand).toThrow('not set');
    expect(told).toEqual([[['a', 0, 'b'], 'NOT']]);
  });

  it.each(['constructor', 'toString', '__proto__'])('to %s is no variable', (name) => {
    const expand = () =>
      expandVariables(`\${${name}}`, {}, () => {
        throw new Error('not set');
      });
    expect(expand).toThrow('not set');
  });

  it('is known by what it names', () => {
    const seen: Reference[] = [];
    expandReferences(withDollars('#{A} #{env:A} #{input:my id} #{config:a.b} #{/}'), {
      valueOf: (reference) => {
        seen.push(reference);
        return '';
      },
      onUnset: () => {
        throw new Error('not set');
      },
    });
    expect(seen.map(({ scope, name }) => `${scope} ${name}`)).toEqual([
      'env A',
      'env A',
      'input my id',
      'editor config:a.b',
      'editor /',
    ]);
  });
});

describe('expansion', () => {
  it.each(['#{A:-', '#{A:-#{', '#{input:a', '$#{', '#{A:-x'])('comes to its end with much of %s', (part) => {
    const text = withDollars(part).repeat(100_000);
    const expanded = [text, `${text}}`].map((each) => expandVariables(each, environment, refuse));
    expect(expanded.every((each) => typeof each === 'string')).toBe(true);
  });

  const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
  const variables = fc.dictionary(name, fc.string(), { minKeys: 1 });
  const refuse = (): never => {
    throw new Error('not set');
  };

  it('touches no text without a reference', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('${')),
        variables,
        (text, known) => {
          expect(expandVariables(text, known, refuse)).toBe(text);
        },
      ),
    );
  });

  it('leaves no reference to a variable that is set, and adds nothing', () => {
    const plain = fc.string().map((text) => text.replaceAll(/[${}]/g, ''));
    fc.assert(
      fc.property(variables, fc.array(fc.tuple(plain, fc.nat(), fc.nat(2))), (known, parts) => {
        const names = Object.keys(known);
        const pieces = parts.map(([text, index, way]) => {
          const variable = names[index % names.length] ?? '';
          const written = [`\${${variable}}`, `\${env:${variable}}`, `\${NEVER_SET_X:-\${${variable}}}`][way] ?? '';
          return { written: text + written, expected: text + known[variable] };
        });
        const text = pieces.map(({ written }) => written).join('');
        expect(expandVariables(text, known, refuse)).toBe(pieces.map(({ expected }) => expected).join(''));
      }),
    );
  });
});

/** Written with # here, because such texts look like templates that lack their quotes. */
function withDollars(text: string): string {
  return text.replaceAll('#{', '${');
}
