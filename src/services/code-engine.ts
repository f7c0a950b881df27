import { stat } from 'node:fs/promises';
import { openWorkspace, type Workspace } from '../codemode/workspace.js';
import type { Settings } from '../config.js';
import type { Engine } from '../engine/work.js';
import type { Log } from '../log.js';

/** The engine of a workspace, made when it is first needed. */
export interface CodeEngine {
  get(): Promise<Engine>;
  close(): Promise<void>;
}

/**
 * Sandboxes hold on to the folder `servers/` itself, and not to its name. Where a person deleted it, with the workspace or by
 * itself, the workspace is made anew and its processes with it.
 */
export async function createCodeEngine(workspace: Workspace, settings: Settings, log: Log): Promise<CodeEngine> {
  let place = await placeOf(workspace.servers);
  let making: Promise<Engine> | undefined;
  let looking: Promise<void> = Promise.resolve();

  return {
    async get() {
      looking = looking.catch(() => undefined).then(look);
      await looking;
      making ??= makeEngine(settings, log);
      return making;
    },
    async close() {
      const engine = await making?.catch(() => undefined);
      await engine?.close();
    },
  };

  async function look(): Promise<void> {
    if ((await placeOf(workspace.servers)) === place) return;
    await openWorkspace(workspace.folder);
    const engine = await making;
    await engine?.recycle();
    place = await placeOf(workspace.servers);
  }
}

async function makeEngine(settings: Settings, log: Log): Promise<Engine> {
  const { createEngine } = await import('../engine/engine.js');
  return createEngine(settings, { log });
}

/** Numbers of files are given again, so that the time counts too. */
async function placeOf(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found && `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}
