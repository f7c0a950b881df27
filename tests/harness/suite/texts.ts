import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CallerError } from '../../../src/errors.js';
import { readSuite } from '../../../src/harness/suite/read.js';
import type { Suite } from '../../../src/harness/suite.js';

/** A folder with files, of the tests of one file. */
export function suiteFolder(files: Readonly<Record<string, string>> = {}) {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suites-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get path() {
      return folder;
    },
    async read(text: string, environment: NodeJS.ProcessEnv = {}, name = 's.yaml'): Promise<Suite> {
      await writeFile(join(folder, name), text);
      return readSuite(name, { environment, cwd: folder });
    },
    /** What is wrong with it, a line for each mistake, without the name of the file. */
    async mistakes(text: string, environment: NodeJS.ProcessEnv = {}, name = 's.yaml'): Promise<readonly string[]> {
      const error = await this.read(text, environment, name).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) return [];
      if (!(error instanceof CallerError) || error.code !== 'INVALID_SUITE') throw error;
      return error.message
        .replaceAll(folder, 'FOLDER')
        .replaceAll(new RegExp(`^${name}, line (\\d+), column (\\d+): `, 'gm'), '$1:$2 ')
        .split('\n');
    },
  };
}

/** A suite of these lines, after two that are right. */
export function lines(...rest: readonly string[]): string {
  return ['version: 1', 'server: { command: node }', ...rest].join('\n');
}
