/** The known name that was probably meant, if any comes close. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const wanted = plain(given);
  const ranked = known
    .map((name) => {
      const most = Math.max(wanted.length, name.length) * 0.4;
      return { name, most, distance: distanceBetween(wanted, plain(name), most) };
    })
    .filter(({ distance, most }) => distance <= most)
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name ?? known.find((name) => wanted.length > 3 && plain(name).includes(wanted));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** How many letters must be added, removed or replaced; not counted any further where it is certain to be more than `most`. */
function distanceBetween(one: string, other: string, most: number): number {
  const [letters, others] = [[...one], [...other]];
  if (Math.abs(letters.length - others.length) > most) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: others.length + 1 }, (_, index) => index);
  for (const [line, letter] of letters.entries()) {
    const next = [line + 1];
    let least = line + 1;
    for (const [column, otherLetter] of others.entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      const fewest = Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1);
      least = Math.min(least, fewest);
      next.push(fewest);
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row.at(-1) ?? 0;
}
