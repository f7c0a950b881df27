import { content } from './style/content.js';
import { frame } from './style/frame.js';
import { palette } from './style/palette.js';
import { print } from './style/print.js';

export const style = [palette, frame, content, print].join('');
