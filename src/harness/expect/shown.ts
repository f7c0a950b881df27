import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { isList } from './json.js';

const longestShown = 300;
const longestKept = 64 * 1024;
const deepest = 64;
/** What a terminal would obey, and what turns the direction of the text around it. */
const commanding = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value for a sentence: in one line, cut where it is long, and without what could command a terminal. */
export function shown(value: JsonValue): string {
  return cut(printable(JSON.stringify(bounded(value, longestShown)) ?? 'undefined'), longestShown + 100);
}

export function cut(text: string, most = longestShown): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Foreign words within a sentence: in one line, and what could command a terminal in digits. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}]/gu, digits).replace(commanding, digits);
}

function digits(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON that commands no terminal; it says the same. */
export function printable(json: string): string {
  return json.replace(commanding, digits);
}

/** The value itself where it is small, else one of its form in which what is too much is told and left out. */
export function bounded(value: JsonValue, most = longestKept): JsonValue {
  const room = { left: most };
  return within(value, room, 0);
}

function within(value: JsonValue, room: { left: number }, depth: number): JsonValue {
  if (typeof value === 'string') return boundedText(value, room);
  room.left -= 8;
  if (!isList(value) && !isJsonObject(value)) return value;
  if (depth >= deepest) return '… (nested too deeply to be shown)';
  return isList(value) ? boundedList(value, room, depth) : boundedObject(Object.entries(value), room, depth);
}

function boundedText(text: string, room: { left: number }): string {
  const most = Math.max(room.left, 16);
  room.left -= Math.min(text.length, most) + 2;
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

function boundedList(list: readonly JsonValue[], room: { left: number }, depth: number): JsonValue {
  const copy: JsonValue[] = [];
  for (const each of list) {
    if (room.left <= 0) return [...copy, `… (${list.length - copy.length} more)`];
    copy.push(within(each, room, depth + 1));
  }
  return copy;
}

function boundedObject(entries: readonly [string, JsonValue][], room: { left: number }, depth: number): JsonValue {
  const copy: [string, JsonValue][] = [];
  for (const [key, each] of entries) {
    if (room.left <= 0) {
      copy.push(['…', `(${entries.length - copy.length} more)`]);
      break;
    }
    copy.push([boundedText(key, room), within(each, room, depth + 1)]);
  }
  return Object.fromEntries(copy);
}
