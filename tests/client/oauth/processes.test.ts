import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../interpreter/scripts.js';
import { textOf } from '../harness.js';
import { createAuthority } from './authority.js';
import { createPlace, logInTo, reach } from './harness.js';

describe('several processes with one login', () => {
  it('renew it once, and lose it never, although each token to renew it with is good once', async () => {
    const authority = await createAuthority();
    const place = await createPlace();
    await logInTo(authority, place);
    const program = await bundleCaller();
    for (const round of [1, 2]) {
      authority.expire();
      const callers = Array.from({ length: 4 }, () => run(program, authority.url, place.folder));
      expect(await Promise.all(callers)).toEqual(callers.map(() => '{"calls":3}'));
      expect(authority.counts.get('token refresh_token')).toBe(round);
    }
    expect(textOf(await reach(authority, place).call('echo', { a: 1 }))).toBe('{"a":1}');
  });
});

/** What another process of this program does, in one file. */
async function bundleCaller(): Promise<string> {
  const file = join(await createFolder(), 'caller.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'caller.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return file;
}

async function run(program: string, url: string, folder: string): Promise<string> {
  const child = spawn(process.execPath, [program, url, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said;
}
