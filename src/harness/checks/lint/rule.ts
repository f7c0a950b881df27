import type { JsonObject } from '../../../toolbox.js';

/** What is wrong with a tool, each as the rest of a sentence that begins with its name. */
export type Rule = (tool: JsonObject, all: readonly JsonObject[]) => readonly string[] | Promise<readonly string[]>;
