import { charts } from './script/charts.js';
import { detail } from './script/detail.js';
import { filters } from './script/filters.js';
import { list } from './script/list.js';
import { make } from './script/make.js';
import { measures } from './script/measures.js';
import { start } from './script/start.js';

/** What runs in the page: plain functions, in one scope of their own. */
export const script = `(() => {\n'use strict';\n${[make, charts, detail, measures, filters, list, start].join('\n')}\n})();`;
