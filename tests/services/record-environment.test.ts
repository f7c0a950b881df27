import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { givenByClient, type SeenProcess } from '../../src/services/record-environment.js';

const own = { PATH: '/bin', HOME: '/home/ada', LANG: 'C', API_KEY: 'k-1234', DATA: '/data', SHLVL: '2', npm_x: '1' };
const client: SeenProcess = { words: ['/usr/bin/client'], parent: 1, environment: { LANG: 'C', DATA: '/elsewhere' } };

function given(processes: Readonly<Record<number, SeenProcess>>, environment: NodeJS.ProcessEnv = own) {
  return givenByClient(environment, { pid: 10, see: (pid) => processes[pid] });
}

describe('what a client gave a server that is recorded', () => {
  it('is what the client itself has not got so, without what every server gets', () => {
    expect(given({ 10: client })).toEqual({ API_KEY: 'k-1234', DATA: '/data' });
  });

  it('is seen behind a shell or a package manager that the client started', () => {
    const inBetween = { environment: own, parent: 12 };
    const npm = { ...inBetween, words: ['npm exec mcp-exec test --record x.yaml'], parent: 11 };
    const shell = { ...inBetween, words: ['/bin/sh', '-c', 'npx mcp-exec'] };
    expect(given({ 10: npm, 11: shell, 12: client })).toEqual({ API_KEY: 'k-1234', DATA: '/data' });
  });

  it('is nothing where a person started it, where nothing can be seen, or where it is far too much', () => {
    expect(given({ 10: { ...client, words: ['-bash'] } })).toEqual({});
    expect(given({})).toEqual({});
    const much = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`V${index}`, 'x']));
    expect(given({ 10: client }, much)).toEqual({});
  });

  it.runIf(process.platform === 'linux')('is told by the processes of this machine', async () => {
    const program = 'process.stdout.write("up"); process.stdin.resume()';
    const other = spawn(process.execPath, ['-e', program], { env: { SAME: 'yes' }, stdio: 'pipe' });
    onTestFinished(() => void other.kill());
    await once(other.stdout, 'data');
    expect(givenByClient({ SAME: 'yes', DATA: 'mine' }, { pid: other.pid })).toEqual({ DATA: 'mine' });
  });
});
