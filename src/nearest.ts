/** The known name that was probably meant, if any comes close. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const wanted = plain(given);
  const ranked = known
    .map((name) => ({ name, distance: distanceBetween(wanted, plain(name)) }))
    .filter(({ distance, name }) => distance <= Math.max(wanted.length, name.length) * 0.4)
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name ?? known.find((name) => wanted.length > 3 && plain(name).includes(wanted));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** How many letters must be added, removed or replaced. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
