import { visible } from './foreign.js';

export interface Element {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly children?: readonly Element[];
  readonly text?: string;
}

/** A document of XML 1.0. Characters that it cannot hold are written in digits. */
export function toXml(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, '')}\n`;
}

function write({ name, attributes = {}, children = [], text }: Element, indent: string): string {
  const said = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${inAttribute(String(value))}"`)
    .join('');
  if (text !== undefined) return `${indent}<${name}${said}>${inText(text)}</${name}>`;
  if (children.length === 0) return `${indent}<${name}${said}/>`;
  const inside = children.map((child) => write(child, `${indent}  `)).join('\n');
  return `${indent}<${name}${said}>\n${inside}\n${indent}</${name}>`;
}

function inText(text: string): string {
  return visible(text).replace(/[&<>]/g, (character) => entities[character] ?? '');
}

function inAttribute(text: string): string {
  return visible(text).replace(/[&<>"\n\t]/g, (character) => entities[character] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};
