import { join } from 'node:path';
import { createHome, isServing, readPage, withoutFigures, withoutIds, withoutMachine, writeFiles } from './page.js';

export const root = join(import.meta.dirname, '..');
export const page = await readPage('docs/code-execution.md');

/** Sessions with servers that come from the npm registry. */
export function isOfRegistry(session: string): boolean {
  return session.includes('reference.json');
}

export interface CodeHome {
  /** What the session shows, without what differs from run to run. */
  shownOf(session: string): Promise<string>;
  close(): Promise<void>;
}

/** A folder with the files of the page, in which what a session leaves behind is found by the next. */
export async function createCodeHome(commands: Readonly<Record<string, string>> = {}): Promise<CodeHome> {
  let isFilled = false;
  const home = await createHome({
    async fill(folder) {
      if (!isFilled) await writeFiles(folder, page.files);
      isFilled = true;
    },
    commands: {
      'mcp-exec': join(root, 'dist/bin/mcp-exec.js'),
      'mcp-execution-server': join(root, 'dist/bin/mcp-execution-server.js'),
      ...commands,
    },
    shownPort: '8080',
  });
  return {
    async shownOf(session) {
      const shown = isServing(session) ? await home.serve(session) : await home.show(withModule(session));
      return withoutMachine(withoutRuns(withoutIds(withoutFigures(withoutModule(shown)))));
    },
    close: () => home.close(),
  };
}

const plainPython = '$ PYTHONPATH=. python3 ';

/** The page takes the module for installed; here it is found where it is. */
function withModule(session: string): string {
  return session.replaceAll(plainPython, `$ PYTHONPATH=.:${join(root, 'python')} python3 `);
}

function withoutModule(shown: string): string {
  return shown.replace(/^\$ PYTHONPATH=\S+ python3 /gm, plainPython);
}

/** Ids of runs, and times in tables with the room that they take there. */
function withoutRuns(shown: string): string {
  return shown
    .replace(/\d{8}-\d{6}-[0-9a-f]{10}/g, '…')
    .replace(/"ms":[\d.]+/g, '"ms":…')
    .replace(/^(operation .*?|at .*?) +time$/gm, '$1  time')
    .replace(/^at +operation +run +/gm, 'at  operation  run  ')
    .replace(/^((?:\w+_\w+|…) .*?) +(?:\d+ ms|[\d.]+ s)$/gm, '$1  …')
    .replace(/^… +(\w+) +… +/gm, '…  $1  …  ');
}
