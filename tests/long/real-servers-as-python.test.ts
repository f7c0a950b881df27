import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCode } from '../codemode/harness.js';
import { checkTypes, importAll } from '../codemode/wrappers/pythons.js';
import { folderWith } from '../engine/harness.js';
import { programs } from './stdio-servers.js';

describe.skipIf(!programs)('MCP servers of the npm registry', () => {
  async function openServers() {
    const { everything = '', filesystem = '', memory = '' } = programs ?? {};
    const folder = folderWith({ 'note.txt': 'a note\n' });
    const by = (program: string, ...args: string[]) => ({ command: process.execPath, args: [program, ...args] });
    const opened = await openCode({
      everything: by(everything),
      filesystem: by(filesystem, folder),
      memory: { ...by(memory), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    });
    return { ...opened, folder };
  }

  it('become modules that import on every Python and pass the type checker', async () => {
    const { code, workspace } = await openServers();
    const { servers } = await code.generateWrappers({ language: 'typescript' });
    expect(servers.map(({ server, failure }) => [server, failure])).toEqual([
      ['everything', undefined],
      ['filesystem', undefined],
      ['memory', undefined],
    ]);
    await importAll(workspace);
    const script = join(workspace, 'uses_them.py');
    writeFileSync(
      script,
      'from servers.memory import read_graph\nprint([entity["name"] for entity in read_graph()["entities"]])\n',
    );
    await checkTypes(workspace);
  }, 120_000);

  it('are called by a script, which passes what one gives to another', async () => {
    const { code, run, folder } = await openServers();
    await code.generateWrappers();
    const { value, calls } = await run(
      `import asyncio
from mcp_execution import ToolError, search_tools
from servers.everything import echo, get_sum_async
from servers.filesystem import read_text_file
from servers.memory import create_entities, read_graph
note = read_text_file(path=context["path"])["content"]
create_entities(entities=[{"name": note.strip(), "entityType": "note", "observations": [echo(message="seen")]}])
sums = await asyncio.gather(*(get_sum_async(a=number, b=1) for number in range(10)))
try: read_text_file(path="/etc/passwd")
except ToolError as error: refused = "outside allowed directories" in error.text
found = search_tools("read a file", limit=3)
result([read_graph()["entities"], len(sums), refused, [entry["tool"] for entry in found]])`,
      { context: { path: join(folder, 'note.txt') } },
    );
    expect(value).toEqual([
      [expect.objectContaining({ name: 'a note', entityType: 'note' })],
      10,
      true,
      expect.arrayContaining(['read_text_file']),
    ]);
    expect(calls).toHaveLength(15);
  }, 120_000);

  it('have their results learnt where they declare none', async () => {
    const { code } = await openServers();
    const safe = { server: 'everything', tool: 'echo', arguments: [{ message: 'one' }, { message: 'two' }] };
    const { tools, failures } = await code.discoverSchemas({ safeTools: [safe] });
    expect(failures).toEqual([]);
    expect(tools.find(({ tool }) => tool === 'echo')).toMatchObject({ origin: 'inferred', samples: 2 });
    expect(tools.find(({ tool }) => tool === 'read_graph')).toMatchObject({ origin: 'declared' });
    expect(tools.filter(({ server, origin }) => server === 'filesystem' && origin === 'inferred')).toEqual([]);
  }, 120_000);
});
