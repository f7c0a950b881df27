import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type PageServer, startPageServer } from './page-server.js';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** A page whose files can be written and whose sessions can be run. */
export interface Page {
  /** Blocks of Python and JSON that the text before them names, as in "`shop.py`:". */
  readonly files: ReadonlyMap<string, string>;
  /** Blocks of commands, each after `$ `, with their output. */
  readonly sessions: readonly string[];
}

export async function readPage(name: string): Promise<Page> {
  const text = await readFile(join(root, name), 'utf8');
  const files = text.matchAll(/`([\w./-]+)`[^\n`]*:\n\n```(?:python|json|text)\n([\s\S]*?)^```$/gm);
  const sessions = text.matchAll(/^```console\n([\s\S]*?)^```$/gm);
  return {
    files: new Map([...files].map(([, file = '', content = '']) => [file, content])),
    sessions: [...sessions].map(([, session = '']) => session),
  };
}

export interface Home {
  /** What the terminal shows of the commands of a session. Each `sleep` of them is `patience` times as long. */
  show(session: string, patience?: number): Promise<string>;
  /** Starts the gateway that a session is about, in the place of the one before; what it says when it is ready. */
  serve(session: string): Promise<string>;
  close(): Promise<void>;
}

export interface HomeOptions {
  /** Writes what a session finds in the folder that it begins in. */
  readonly fill: (folder: string) => Promise<void>;
  readonly commands: Readonly<Record<string, string>>;
  /** The cache folder of the user; a new one unless given. */
  readonly cache?: string;
  /** The port that the page speaks of, where another is taken that is free. */
  readonly shownPort?: string;
}

/** The home of Ada, who has a folder `tools`, and commands by name. */
export async function createHome({ fill, commands, cache, shownPort = '9000' }: HomeOptions): Promise<Home> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'mcp-execution-page-')));
  const [tools, bin] = [join(home, 'tools'), join(home, 'bin')];
  await Promise.all([mkdir(tools), mkdir(bin)]);
  for (const [name, target] of Object.entries(commands)) await symlink(target, join(bin, name));
  const port = String(await freePort());
  const { VIRTUAL_ENV: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    XDG_CACHE_HOME: cache ?? join(home, '.cache'),
    MCP_EXECUTION_GATEWAY_PORT: port,
  };
  let server: PageServer | undefined;

  return {
    async show(session, patience = 1) {
      await fill(tools);
      const words = commandsOf(session).map((command) => `${prompt}echo ${quoted(command)}\n${command.slice(2)}\n`);
      const beginning = `exec 2>&1\nset -e\nsleep() { command sleep "$(( $1 * ${patience} ))"; }\n`;
      const script = `${beginning}${words.join('').replaceAll(shownPort, port)}wait\n${prompt}`;
      const { stdout } = await run('bash', ['-c', script], { cwd: tools, env });
      return asShown(stdout.replace(/([^\n])⏎/g, '$1\n').replaceAll('⏎', ''));
    },
    async serve(session) {
      await fill(tools);
      await server?.stop();
      const [command = ''] = commandsOf(session);
      server = await startPageServer(command.slice(2).replaceAll(shownPort, port), { cwd: tools, env });
      return asShown(`${command}\n${server.said}`);
    },
    async close() {
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };

  function asShown(output: string): string {
    return output
      .replaceAll(port, shownPort)
      .replaceAll(home, '/home/ada')
      .replaceAll(process.execPath, '/usr/bin/node')
      .replaceAll(root, '/usr/lib/node_modules/mcp-execution');
  }
}

/** A session of one command that stays: what follows on the page talks to it. */
export function isServing(session: string): boolean {
  const [command = '', ...others] = commandsOf(session);
  return others.length === 0 && /^\$ mcp-exec gateway [^|]*$/.test(command) && !/&$|&& |\|\| /.test(command);
}

export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** What differs from run to run and from machine to machine, as a page shows it. */
export function withoutFigures(output: string): string {
  return output
    .replace(/("(?:mcp-execution\/)?figures": ?)\{[^{}]*\{[^{}]*\}\s*\}/g, '$1{…}')
    .replace(/"time":"[^"]*"/g, '"time":"…"')
    .replace(/"(probeMs|ms)":[\d.]+/g, '"$1":…')
    .replace(/(mcp-exec:\/\/results\/)[\w-]+/g, '$1…')
    .replace(/\.bak-[\d-]+/g, '.bak-…')
    .replace(/\d+ files, [\d.]+ [kM]B/g, '… files, … MB');
}

/** What a gateway makes up anew: ids of requests, streams, sessions and versions, times, keys, counts of processes. */
export function withoutIds(output: string): string {
  return output
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replace(/("stream":"|[?&]stream=|^id: )[\w-]{24}(?=[".&]|$)/gm, '$1…')
    .replace(/"version":"[0-9a-f]{16}"/g, '"version":"…"')
    .replace(/"sha256":"[0-9a-f]{64}"/g, '"sha256":"…"')
    .replace(/"processes":\{[^{}]*\}/g, '"processes":{…}')
    .replace(/mcpx_[0-9a-f]{16}_[\w-]{43}/g, 'mcpx_…')
    .replace(/"bytes":\d+(?=,"agent")/g, '"bytes":…')
    .replace(/curl\/[\d.]+/g, 'curl/…');
}

/** What other versions of Python and machines without namespaces say in other words. */
export function withoutMachine(output: string): string {
  return output
    .replace(/\\n +[~^]+(?=\\n)/g, '')
    .replace(/\[Errno (2|13)\] [A-Z][A-Za-z ]+(?=: ')/g, '[refused]')
    .replace(/float division by zero/g, 'division by zero');
}

/** Times and amounts of memory in reports of suites, with the room that they take there. */
export function withoutTimes(output: string): string {
  const time = '[\\d.]+ (?:ms|s|min)';
  return output
    .replace(new RegExp(`^(  (?:ok|FAILED|flaky) .*?)  ${time}(?=  |$)`, 'gm'), '$1  …')
    .replace(new RegExp(`(answered in|(?:passed|failed|skipped|flaky\\)?) in|p50|p95|p99|most) ${time}`, 'g'), '$1 …')
    .replace(new RegExp(` in ${time}: [\\d.]+ per second`, 'g'), ' in …: … per second')
    .replace(new RegExp(`held [\\d.]+ .?B at most, and took ${time} of CPU`, 'g'), 'held … at most, and took … of CPU')
    .replace(/ +p50 +p95 +p99$/gm, '  p50  p95  p99')
    .replace(new RegExp(`( +${time}){3}$`, 'gm'), '  …  …  …')
    .replace(/^Slowest:\n(?: {2}.*\n)+\n/gm, '')
    .replace(/ time(stamp)?="[^"]*"/g, ' time$1="…"');
}

/** Where a prompt would stand: on a line of its own, whatever the output before it ended with. */
const prompt = "printf '⏎'\n";

function commandsOf(session: string): readonly string[] {
  return session.split('\n').filter((line) => line.startsWith('$ '));
}

function quoted(line: string): string {
  return `'${line.replaceAll("'", "'\\''")}'`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
