const longestSummary = 120;

/** Prose of a foreign server as it may be shown: no controls, nothing hidden, nothing that turns the writing around. */
export function cleanProse(text: string, longest: number): string {
  // Cutting first bounds the work; what is cut off is never looked at.
  const cleaned = text
    .slice(0, longest * 2)
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\t/g, '    ')
    .replace(/\p{Zs}/gu, ' ')
    // Joiners and variants that change only how a letter looks.
    .replace(/\p{Variation_Selector}|\u00ad|\u200c|\u200d|\ufeff/gu, '')
    .replace(/(?:(?!\n)\p{C})+/gu, '\ufffd')
    .replace(/ +$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const isCut = text.length > longest * 2 || cleaned.length > longest;
  return isCut ? `${cutWhole(cleaned, longest).trimEnd()} …` : cleaned;
}

/** The same on one line. */
export function cleanLine(text: string, longest: number): string {
  return cleanProse(cleanProse(text, longest).replace(/\s+/g, ' '), longest);
}

/** The first sentence of what a server says of a tool, on one line. */
export function summaryOf(description: string | undefined): string {
  const [paragraph = ''] = cleanProse(description ?? '', 2000).split('\n\n');
  const line = paragraph.replace(/\s+/g, ' ').replace(/^#+ /, '');
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|cf))(?:[.!?](?=\s|$)|[。！？])/u.exec(line);
  return cleanLine(end ? line.slice(0, end.index + end[0].length) : line, longestSummary);
}

/** Never in the middle of a letter. */
function cutWhole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
