import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cache = join(root, 'node_modules', '.cache', 'mcp-execution');

/**
 * Runs a command in the project's folder, or another; gives its exit code, and its output when that is captured. With
 * `only`, those variables are the whole environment.
 */
export function run(command, args, { environment = {}, capture = false, cwd = root, only, uid, gid } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      uid,
      gid,
      env: { ...(only ?? process.env), ...environment },
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Runs the program of an installed package with this Node. */
export function runTool(path, args, options) {
  return run(process.execPath, [join(options?.cwd ?? root, 'node_modules', path), ...args], options);
}

export function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return run(process.execPath, [npm, ...args], options);
  return process.platform === 'win32'
    ? run('cmd.exe', ['/d', '/c', 'npm', ...args], options)
    : run('npm', args, options);
}

export function isMain(url) {
  return realpathSync(process.argv[1]) === fileURLToPath(url);
}
