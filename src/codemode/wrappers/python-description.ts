import type { KnownTool, ResultSchema } from '../known-tools.js';
import { cleanLine, cleanProse } from './foreign-text.js';
import type { Input, Parameter } from './parameters.js';

const longestDescription = 8000;
const longestParameter = 240;

/** What `help` says of the function: the words of the server, what it takes, and how its result is known. */
export function describeFunction({ tool, result }: KnownTool, input: Input): string {
  const said = cleanProse(tool.description ?? tool.title ?? '', longestDescription);
  const parameters = input.kind === 'parameters' ? input.parameters.flatMap(describeParameter) : [];
  return [
    said === '' ? `Calls ${cleanLine(tool.name, 100)}.` : said,
    ...(parameters.length > 0 ? [['Args:', ...parameters].join('\n')] : []),
    ...(result ? [`Returns: as ${originOf(result)}.`] : []),
  ].join('\n\n');
}

function describeParameter({ key, name, description }: Parameter): readonly string[] {
  if (description === undefined && key === name) return [];
  const original = key === name ? [] : [`"${cleanLine(key, 80)}".`];
  const said = description === undefined ? [] : [cleanLine(description, longestParameter)];
  return [`    ${name}: ${[...original, ...said].join(' ')}`];
}

function originOf({ origin, samples }: ResultSchema): string {
  if (origin === 'declared') return 'the server declares it';
  return samples === undefined ? 'inferred from samples' : `inferred from ${samples} sample${samples === 1 ? '' : 's'}`;
}
