import { plainText } from './plain-text.js';

const longest = 120;

/** The first line of the docstring, else of the first comment that says something; empty where there is neither. */
export function summaryOf(source: string): string {
  return plainText(docstringLine(source) ?? commentLine(source) ?? '', longest);
}

function docstringLine(source: string): string | undefined {
  const body = source.replace(/^\uFEFF?(?:[ \t]*(?:#[^\n]*)?\r?\n)*/, '');
  const [, quotes = ''] = /^[rRuU]?("""|'''|"|')/.exec(body) ?? [];
  if (quotes === '') return undefined;
  const text = body.slice(body.indexOf(quotes) + quotes.length);
  const end = text.indexOf(quotes);
  const inside = end === -1 ? text : text.slice(0, end);
  return inside.split('\n').find((line) => line.trim() !== '');
}

function commentLine(source: string): string | undefined {
  for (const line of source.split('\n')) {
    const text = line.trim();
    if (text !== '' && !text.startsWith('#')) return undefined;
    const comment = text.replace(/^#+\s*/, '');
    const isForMachines = text.startsWith('#!') || /^(?:-\*-|coding[:=]|\/\/\/)/.test(comment);
    if (comment !== '' && !isForMachines) return comment;
  }
  return undefined;
}
