import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createHome, isServing, type Page, readPage, withoutMachine, withoutTimes, writeFiles } from './page.js';

export const root = join(import.meta.dirname, '..');
export const text = await readFile(join(root, 'docs/harness.md'), 'utf8');
export const page: Page = { ...(await readPage('docs/harness.md')), files: filesOf(text) };

/** Parts of suites that the page shows beside whole files. */
export const snippets: readonly string[] = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
  .map(([, block = '']) => block)
  .filter((block) => ![...page.files.values()].includes(block));

/** What needs the npm registry or the official suite, waits for long, or starts another runner of tests. */
export function isOfLongTier(session: string): boolean {
  return /conformance\.yaml|memory\.yaml|everything-http\.yaml|--watch|\$ vitest/.test(session);
}

export interface HarnessHome {
  /** What the session shows, without what differs from run to run. */
  shownOf(session: string): Promise<string>;
  close(): Promise<void>;
}

/** A folder with the files of the page and what they import, in which what a session leaves behind is found by the next. */
export async function createHarnessHome(commands: Readonly<Record<string, string>> = {}): Promise<HarnessHome> {
  // They would make the runs those of a CI machine, which keep no new snapshots.
  for (const name of ['CI', 'GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY']) delete process.env[name];
  let isFilled = false;
  const home = await createHome({
    async fill(folder) {
      if (!isFilled) await fillFolder(folder);
      isFilled = true;
    },
    commands: { 'mcp-exec': join(root, 'dist/bin/mcp-exec.js'), ...commands },
    shownPort: '8080',
  });
  return {
    async shownOf(session) {
      const shown = isServing(session) ? await home.serve(session) : await home.show(session);
      return withoutTimes(shown);
    },
    close: () => home.close(),
  };
}

/** Without what other versions of Python, and machines without namespaces, say in other words. */
export function asAnywhere(shown: string): string {
  return withoutMachine(shown)
    .replace(/^ +\| +[~^]+\n/gm, '')
    .replace(/(?:FileNotFound|Permission)Error: (?=\[refused\])/g, '');
}

async function fillFolder(folder: string): Promise<void> {
  await writeFiles(folder, page.files);
  await cp(join(root, 'examples/testing'), join(folder, 'roman'), { recursive: true });
  await mkdir(join(folder, 'node_modules/@modelcontextprotocol'), { recursive: true });
  await symlink(root, join(folder, 'node_modules/mcp-execution'));
  for (const name of ['@modelcontextprotocol/server', 'zod', 'vitest']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

function filesOf(page: string): ReadonlyMap<string, string> {
  const blocks = page.matchAll(/`([\w./-]*\.\w+)`[^\n`]*:\n\n```(?:js|json|python|yaml)\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, file = '', content = '']) => [file, content]));
}
