import type { Document, ErrorCode } from 'yaml';

/** The first thing that is wrong with the form; what follows it is mostly its consequence. What stands there is not shown. */
export function syntaxMistake(
  { errors, warnings }: Document,
  text: string,
): { readonly offset: number; readonly reason: string } | undefined {
  const unknownTags = warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const [first] = [...errors, ...unknownTags].sort((one, other) => one.pos[0] - other.pos[0]);
  if (first === undefined) return undefined;
  const [offset] = first.pos;
  if (/[:[,-]\s*\{\{[^{}\n]*\}\}/.test(lineAt(text, offset))) return { offset, reason: quoteBraces };
  // The same code stands for two mistakes, which only the message tells apart.
  const isOpenFlow = first.code === 'BAD_INDENT' && first.message.startsWith('Flow');
  return { offset, reason: isOpenFlow ? openFlow : (sentences[first.code] ?? otherwise) };
}

export const quoteBraces = '{{ … }} has to stand in quotes: braces begin an object in YAML';

const openFlow = 'a bracket or brace above is not closed, or what is within it is not indented';
const otherwise = 'this is not YAML: something stands here that does not belong here';

const sentences: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape, and this is none; use single quotes, or write \\\\',
  BAD_INDENT: 'the indentation does not fit what is above',
  BAD_SCALAR_START: 'a text that begins with this character has to stand in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a second key in one line, or lines that are indented too far; a text with ": " in it has to stand in quotes',
  BLOCK_IN_FLOW: 'within brackets or braces everything is written in brackets or braces',
  KEY_OVER_1024_CHARS: 'a key has more than 1024 characters',
  MISSING_CHAR: 'something is missing here: a closing quote, bracket or brace, or the colon after a key',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines, or its colon is missing',
  MULTIPLE_DOCS: 'a second document begins here; expected one alone',
  TAB_AS_INDENT: 'a tab as indentation, which YAML does not take; use spaces',
  TAG_RESOLVE_FAILED: 'this tag (!) is not known, and not needed here; leave it out, or put the text in quotes',
  UNEXPECTED_TOKEN: otherwise,
};

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(start, end === -1 ? undefined : end);
}
