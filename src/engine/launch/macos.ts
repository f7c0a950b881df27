import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interpreter } from '../../python/interpreter.js';
import { pythonPart } from '../../python/part.js';
import type { Sandbox } from '../sandbox.js';

/** A command in front of the interpreter's, and what it needs for as long as that runs. */
export interface Wrapping {
  readonly command: readonly string[];
  readonly sandbox: Sandbox;
  remove(): void;
}

/** macOS: the system's own sandbox around a warm interpreter. Written from its documentation, and not tested there. */
export function wrapForMacos(sandbox: Sandbox, interpreter: Interpreter): Wrapping {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-execution-scratch-')));
  const profile = macosProfile({ ...sandbox, scratch }, [interpreter.prefix, interpreter.basePrefix, pythonPart()]);
  return {
    command: ['/usr/bin/sandbox-exec', '-p', profile],
    sandbox: { ...sandbox, scratch },
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

const systemPlaces = ['/usr/lib', '/usr/share', '/System', '/Library/Frameworks', '/private/etc/localtime', '/dev'];
const programs = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local', '/opt/homebrew'];

export function macosProfile(sandbox: Sandbox, python: readonly string[]): string {
  const { read, write, net, run, folder, scratch } = sandbox;
  const writable = write === true ? ['/'] : [...write, ...(scratch ? [scratch] : [])];
  const readable = read === true ? ['/'] : [...read, ...systemPlaces, ...python, ...(folder ? [folder] : [])];
  return [
    '(version 1)',
    '(deny default)',
    '(allow sysctl-read)',
    '(allow signal (target self))',
    '(allow file-read-metadata)',
    `(allow file-read* ${subpaths([...readable, ...writable, ...(run ? programs : [])])})`,
    `(allow file-write* ${subpaths(writable)} (literal "/dev/null"))`,
    run ? '(allow process-fork process-exec)' : `(allow process-exec ${subpaths(python)})`,
    ...(net ? ['(allow network*)', '(allow system-socket)', '(allow mach-lookup)'] : []),
  ].join('\n');
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
}
