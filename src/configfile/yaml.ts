import { about, mistakeAt, type PlacedText, placesOf } from './place.js';
import type { ReadYamlOptions } from './yaml-document.js';
import { readPlainYaml } from './yaml-plain.js';

/** Reads YAML 1.2 with merge keys. Only what JSON can say comes out of it, with the place of everything. */
export async function readYaml(text: string, file: string, options: ReadYamlOptions = {}): Promise<PlacedText> {
  const plain = readPlainYaml(text);
  if (plain === undefined) return (await import('./yaml-document.js')).readYamlDocument(text, file, options);
  const { value, offsetOf } = plain;
  let places: ReturnType<typeof placesOf> | undefined;
  return {
    value,
    wrong: (path, reason) => mistakeAt(file, text, offsetOf(path), about(path, reason), options.code),
    placeOf(path) {
      places ??= placesOf(text);
      return places(offsetOf(path));
    },
  };
}
