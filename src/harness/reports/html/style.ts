import { content } from './style/content.js';
import { frame } from './style/frame.js';
import { palette } from './style/palette.js';

export const style = [palette, frame, content].join('');
