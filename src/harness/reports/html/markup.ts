import { visible } from '../foreign.js';
import { stringify } from '../jsontext.js';

/** JSON that can stand in a script element: nothing in it ends the element, or begins a comment. */
export function embeddedJson(value: unknown): string {
  return stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
