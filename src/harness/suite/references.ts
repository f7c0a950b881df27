/** `{{ name.key[0] }}` as it stands in a text. */
export interface Reference {
  readonly written: string;
  readonly name: string;
  readonly steps: readonly (string | number)[];
}

/** Whatever looks like a reference, and `\{{`, which is none. */
export const referenceForm = /\\\{\{|\{\{[^{}]*\}\}/g;

/** A text that is nothing but one reference. */
export const wholeReference = /^\{\{\s*([A-Za-z_]\w*)((?:\.[A-Za-z_][\w-]*|\[-?\d{1,9}\])*)\s*\}\}$/;
const oneStep = /\.([^.[]+)|\[(-?\d+)\]/g;

/** The reference that a text is, where it is nothing else. */
export function referenceIn(text: string): Reference | undefined {
  const [, name, path = ''] = wholeReference.exec(text) ?? [];
  if (name === undefined) return undefined;
  const steps = Array.from(path.matchAll(oneStep), ([, key, index]) => key ?? Number(index));
  return { written: text, name, steps };
}

/** What stands between the braces. */
export function nameOf(written: string): string {
  return written.slice(2, -2).trim();
}

/** All that look like references in a text, with those that are none of any form. */
export function referencesIn(
  text: string,
): readonly (Reference | { readonly written: string; readonly name?: never })[] {
  if (!text.includes('{{')) return [];
  return Array.from(text.matchAll(referenceForm), ([written]) => written)
    .filter((written) => !written.startsWith('\\'))
    .map((written) => referenceIn(written) ?? { written });
}
