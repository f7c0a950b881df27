import { realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { hideHome } from '../../redact.js';

export interface HostPaths {
  /** A sentence of the host: paths are seen from the workspace, and home is `~`. */
  hide(text: string): string;
  /** A traceback of Python: files of the workspace as seen from it, of others the last names alone. */
  hideInTraceback(text: string): string;
}

const shownNames = 2;

/** Of where things lie on the host, an agent learns nothing that it has no use for. */
export function createHostPaths(workspace: string): HostPaths {
  const folders = [...new Set([workspace, realPathOr(workspace)])].filter((folder) => folder.length > 1);
  return {
    hide,
    hideInTraceback: (text) =>
      hide(text).replace(/(\bFile ")([^"\n]+)(")/g, (_whole, before: string, path: string, after: string) =>
        isAbsolute(path) || path.startsWith('~')
          ? `${before}…/${path.split(sep).slice(-shownNames).join('/')}${after}`
          : `${before}${path}${after}`,
      ),
  };

  function hide(text: string): string {
    return hideHome(folders.reduce(withoutFolder, text));
  }
}

function withoutFolder(text: string, folder: string): string {
  if (!text.includes(folder)) return text;
  return text
    .split(`${folder}${sep}`)
    .join('')
    .replace(new RegExp(`${literally(folder)}(?![\\w.-])`, 'g'), 'the workspace');
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
