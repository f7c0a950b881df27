import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KnownServer } from '../../../src/codemode/known-tools.js';
import { renderServers } from '../../../src/codemode/wrappers/render.js';
import { folderWith } from '../../engine/harness.js';
import { anyServer } from './arbitrary.js';
import { writeFiles } from './files.js';
import { hostileServers } from './hostile.js';
import { ordinaryServer } from './ordinary.js';
import { checkTypes, typeProblems } from './pythons.js';

const run = promisify(execFile);
const groups = fc.sample(fc.array(anyServer, { minLength: 1, maxLength: 3 }), { numRuns: 25, seed: 11 }).map(byName);

it('the strict type checker of Python has nothing to say of any wrapper', async () => {
  const folder = folderWith({});
  writeFiles(join(folder, 'servers'), renderServers(hostileServers()));
  for (const [index, servers] of groups.entries()) writeFiles(join(folder, `any${index}`), renderServers(servers));
  await checkTypes(folder);
}, 120_000);

it('the type checker of Python sees what a script does wrong with a wrapper', async () => {
  const folder = folderWith({});
  writeFiles(join(folder, 'servers'), renderServers([ordinaryServer]));
  const lines = [
    'from servers.tracker import create_issue, create_issue_async, list_issues, no_such_tool',
    'issue = create_issue("a title", labels=[{"name": "bug"}], state="open")',
    'print(issue["id"] + 1, issue["no_such_key"])',
    'create_issue(5)',
    'create_issue("a title", state="ajar")',
    'create_issue("a title", labels=[{"colour": "red"}])',
    'create_issue()',
    'list_issues(limit="many")',
    'async def main() -> None:',
    '    print((await create_issue_async("a title"))["url"].upper())',
  ];
  writeFileSync(join(folder, 'script.py'), `${lines.join('\n')}\n`);
  const problems = await typeProblems(folder);
  expect(problems.filter((line) => !line.startsWith('script.py'))).toEqual([]);
  const wrong = new Set(problems.map((line) => Number(/:(\d+) /.exec(line)?.[1])));
  expect([...wrong].sort((one, other) => one - other)).toEqual([1, 3, 4, 5, 6, 7, 8]);
}, 120_000);

it('the strict compiler of TypeScript has nothing to say of any declarations', async () => {
  const folder = folderWith({});
  const compilerOptions = { strict: true, noEmit: true, target: 'ES2023', module: 'NodeNext', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  const rendered = [hostileServers(), [ordinaryServer], ...groups].map((servers) =>
    renderServers(servers, { hasTypescript: true }),
  );
  for (const [index, files] of rendered.entries()) {
    writeFiles(join(folder, `group${index}`), new Map([...files].filter(([path]) => path.endsWith('.d.ts'))));
  }
  const use = [
    "import type { Tools } from './group1/tracker/index.js';",
    "const given: Tools['create_issue']['arguments'] = { title: 'a', labels: [{ name: 'bug' }], state: 'open' };",
    "const made: Tools['create_issue']['result'] = { id: 1, url: 'x' };",
    '// @ts-expect-error: no such state',
    "const wrong: Tools['create_issue']['arguments'] = { title: 'a', state: 'ajar' };",
    'console.log(given, made.id.toFixed(), wrong);',
    'declare const console: { log(...all: unknown[]): void };',
  ];
  writeFileSync(join(folder, 'use.ts'), use.join('\n'));
  const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
}, 120_000);

it('the wrappers of an ordinary server are these', async () => {
  const files = renderServers([ordinaryServer], { hasTypescript: true });
  const text = [...files].map(([path, content]) => `=== servers/${path}\n${content}`).join('\n');
  await expect(text).toMatchFileSnapshot('ordinary-server.txt');
});

function byName(servers: readonly KnownServer[]): readonly KnownServer[] {
  return [...new Map(servers.map((server) => [server.name, server])).values()];
}
