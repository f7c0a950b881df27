import { describe, expect, it } from 'vitest';
import { entryFor } from '../../src/cli/install/entry.js';

describe('the command that a client runs', () => {
  const own = {
    node: '/usr/bin/node',
    bin: '/opt/mcp/dist/bin/mcp-exec.js',
    version: '1.2.3',
    platform: 'linux',
  } as const;

  it('is this Node with this command', () => {
    expect(entryFor(own, ['serve', '/a.py'], {})).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/mcp/dist/bin/mcp-exec.js', 'serve', '/a.py'],
    });
    expect(entryFor(own, [], { A: '1' }).env).toEqual({ A: '1' });
  });

  it('fetches the same version again where npx fetched this one', () => {
    const bin = '/home/ada/.npm/_npx/abc/node_modules/mcp-execution/dist/bin/mcp-exec.js';
    const args = ['-y', '-p', 'mcp-execution@1.2.3', 'mcp-exec', 'serve'];
    expect(entryFor({ ...own, bin }, ['serve'], {})).toEqual({ command: 'npx', args });
    const onWindows = 'C:\\ada\\npm-cache\\_npx\\abc\\node_modules\\mcp-execution\\dist\\bin\\mcp-exec.js';
    expect(entryFor({ ...own, bin: onWindows, platform: 'win32' }, ['serve'], {})).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', ...args],
    });
  });
});
