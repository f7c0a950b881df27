import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CallerError } from '../../errors.js';
import { workspaceAt } from '../workspace.js';
import { shownJson } from './foreign-text.js';

/**
 * The file that an agent may name: a script of the workspace, wherever links lead. Only Python, because an error shows
 * lines of what was run, and a config or a .env beside the scripts is full of secrets.
 */
export async function scriptInWorkspace(workspace: string, given: string): Promise<string> {
  const { folder, servers, runs } = workspaceAt(workspace);
  const named = resolve(folder, given);
  // Before anything is looked at: what is outside is refused alike, whether it exists or not.
  if (given.includes('\0') || !isWithin(folder, named)) throw outside(given);
  if (!named.endsWith('.py')) throw notAllowed(given, 'is no .py file');
  const home = await realpath(folder);
  const file = await realpath(named).catch(() => undefined);
  if (file === undefined) throw missing(given);
  if (!isWithin(home, file)) throw outside(given);
  if (!file.endsWith('.py')) throw notAllowed(given, 'is a link to what is no .py file');
  for (const kept of [servers, runs]) {
    if (isWithin(resolve(home, relative(folder, kept)), file)) {
      throw notAllowed(given, `is in ${relative(folder, kept)}/, which holds no scripts`);
    }
  }
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw missing(given);
  return file;
}

function isWithin(folder: string, path: string): boolean {
  const seen = relative(folder, path);
  return seen !== '' && seen !== '..' && !seen.startsWith(`..${sep}`) && !isAbsolute(seen);
}

function outside(given: string): CallerError {
  return notAllowed(given, 'is outside of the workspace');
}

function notAllowed(given: string, why: string): CallerError {
  const message = `path ${shownJson(given)} ${why}. Name a .py file of the workspace, such as scripts/report.py, or give the source as script.`;
  return new CallerError('NOT_ALLOWED', message, { argument: 'path' });
}

function missing(given: string): CallerError {
  const message = `There is no file ${shownJson(given)} in the workspace. Paths are seen from the workspace; or give the source as script.`;
  return new CallerError('INVALID_SCRIPT', message, { argument: 'path' });
}
