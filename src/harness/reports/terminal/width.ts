const ellipsis = '…';

/** As much as fits into so many places. What may be wide counts as wide, so that a line never breaks. */
export function cutTo(text: string, places: number): string {
  if (widthOf(text) <= places) return text;
  let [shown, left] = ['', places - 1];
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown}${ellipsis}`;
}

export function padTo(text: string, places: number, atRight = false): string {
  const padding = ' '.repeat(Math.max(0, places - widthOf(text)));
  return atRight ? `${padding}${text}` : `${text}${padding}`;
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) < 0x1100 || narrow.has(character) ? 1 : 2;
  return width;
}

/** Beyond the letters of Europe, and narrow all the same. */
const narrow: ReadonlySet<string> = new Set('–—‘’“”…·•→←↑↓✓✕│─');
