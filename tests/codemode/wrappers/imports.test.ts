import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownServer } from '../../../src/codemode/known-tools.js';
import { serverModules } from '../../../src/codemode/wrappers/names.js';
import { renderServers } from '../../../src/codemode/wrappers/render.js';
import { folderWith } from '../../engine/harness.js';
import { anyServer, mark } from './arbitrary.js';
import { writeFiles } from './files.js';
import { asKnown, hostileServers } from './hostile.js';
import { everyPython, runPython, useWrappers } from './pythons.js';

const pythons = await everyPython();
const samples = fc.sample(fc.array(anyServer, { minLength: 1, maxLength: 3 }), { numRuns: 60, seed: 7 });
const groups = new Map<string, readonly KnownServer[]>([
  ['hostile', hostileServers()],
  ...samples.map((servers, index) => [`any${index}`, byName(servers)] as const),
]);
const folder = folderWith({});
for (const [name, servers] of groups) writeFiles(join(folder, name), renderServers(servers));

describe.each([...pythons])('on Python %s', (_, python) => {
  it('wrappers of whatever servers import, resolve their types, and call the tools that they were made of', async () => {
    const used = await useWrappers(python, folder);
    for (const [group, servers] of groups) {
      const modules = serverModules(servers.map(({ name }) => name));
      for (const { name, tools } of servers) {
        const calls = used[`${group}.${modules.get(name)}`] ?? [];
        expect(new Set(calls.map(([, tool]) => tool))).toEqual(new Set(tools.map(({ tool }) => tool.name)));
        expect(calls.every(([server]) => server === name)).toBe(true);
      }
    }
    for (const { tool } of groups.get('hostile')?.find(({ name }) => name === 'names_that_are_no_names')?.tools ?? []) {
      const { properties = {} } = tool.inputSchema;
      const calls = used['hostile.names_that_are_no_names']?.filter(([, name]) => name === tool.name) ?? [];
      expect(calls).toHaveLength(2);
      for (const [, , given] of calls) expect(Object.keys(given).sort()).toEqual(Object.keys(properties ?? {}).sort());
    }
    expect(existsSync(join(folder, mark))).toBe(false);
  }, 120_000);
});

it('a tool that is imported loads no other, however it is imported', async () => {
  const many = folderWith({});
  const tools = Array.from({ length: 150 }, (_, index) => asKnown({ name: `tool_${index}`, inputSchema: {} }));
  writeFiles(join(many, 'servers'), renderServers([{ name: 'many', tools }]));
  const script = [
    'import sys',
    `sys.path.insert(0, ${JSON.stringify(many)})`,
    'from servers.many import tool_7_async, tool_7',
    'from servers.many.tool_7 import tool_7 as same',
    'import servers.many.tool_7',
    'from servers import many',
    'assert many.tool_7 is same is tool_7',
    'print(sorted(name for name in sys.modules if name.startswith("servers")))',
  ];
  const [python = 'python3'] = pythons.values();
  expect(await runPython(python, '-c', script.join('\n'))).toBe("['servers', 'servers.many', 'servers.many.tool_7']\n");
});

it('there is a Python to try', () => {
  expect(pythons.size).toBeGreaterThan(0);
});

function byName(servers: readonly KnownServer[]): readonly KnownServer[] {
  return [...new Map(servers.map((server) => [server.name, server])).values()];
}
