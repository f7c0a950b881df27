import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CallerError } from '../../../src/errors.js';
import type { Explore, FoundTool } from '../../../src/gateway/uploads/exploration.js';

/** Reads scripts by their words alone: every def is a tool, and a line "syntax error" is one. */
export const readByWords: Explore = async ([target = ''], { only, exclude }) => {
  const tools: FoundTool[] = [];
  const problems: string[] = [];
  for (const file of await scriptsIn(target)) {
    const text = await readFile(file, 'utf8');
    if (text.includes('syntax error')) problems.push(`${file}, line 1: invalid syntax`);
    else for (const [, name = ''] of text.matchAll(/^def (\w+)/gm)) tools.push(toolOf(name, only, exclude));
  }
  const unknown = [...(only ?? []), ...(exclude ?? [])].find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new CallerError('UNKNOWN_TOOL', `No tool and no function is named ${unknown}`);
  return { tools, problems, notes: [`read ${basename(target)}`] };
};

async function scriptsIn(target: string): Promise<readonly string[]> {
  if (!(await stat(target)).isDirectory()) return [target];
  const names = await readdir(target, { recursive: true });
  return names.filter((name) => name.endsWith('.py')).map((name) => join(target, name));
}

function toolOf(name: string, only?: readonly string[], exclude?: readonly string[]): FoundTool {
  const inputSchema = { type: 'object' };
  if (name.startsWith('_')) return { name, enabled: false, why: 'Its name begins with an underscore.', inputSchema };
  if (only && !only.includes(name)) return { name, enabled: false, why: 'It is left out.', inputSchema };
  return exclude?.includes(name)
    ? { name, enabled: false, why: 'It is left out.', inputSchema }
    : { name, enabled: true, inputSchema };
}
