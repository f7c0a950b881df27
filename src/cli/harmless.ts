import { stripVTControlCharacters } from 'node:util';

/** Characters that turn the direction of text around them, and so show another text than there is. */
const turning = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const controls = new RegExp(`[\\p{Cc}\\u2028\\u2029${turning}]+`, 'gu');
const controlsInLines = new RegExp(`(?![\\n\\t])[\\p{Cc}\\u2028\\u2029${turning}]`, 'gu');
const beyondAscii = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${turning}]`, 'g');
const escapeKey = String.fromCharCode(27);
const colour = new RegExp(`(${escapeKey}\\[[\\d;:]{0,40}m)`);

/** Foreign text in one line, without what would command the terminal. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(controls, ' ');
}

/** The same of text whose lines stay. Colours stay too: they command nothing. */
export function harmlessLines(text: string): string {
  return text
    .split(colour)
    .map((part) => (colour.test(part) ? part : stripVTControlCharacters(part).replace(controlsInLines, '')))
    .join('');
}

/** JSON for people and programs alike: what could command a terminal is written in digits. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.replace(beyondAscii, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
