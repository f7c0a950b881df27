import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

export function createPaint(colours: boolean): Paint {
  return (style, text) => (colours && text !== '' ? styleText(style, text, { validateStream: false }) : text);
}
