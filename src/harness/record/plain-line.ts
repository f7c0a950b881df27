/** Controls, and characters that are not seen or turn the text around them. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]+/gu;
const longest = 300;

/** Foreign text as one line that can stand in a comment or a message. */
export function plainLine(text: string, most: number = longest): string {
  const line = text
    .slice(0, most * 4)
    .replace(unseen, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}
