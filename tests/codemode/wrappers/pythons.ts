import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../../src/python/interpreter.js';

const pythonPart = join(import.meta.dirname, '../../../python');
const pyright = join(import.meta.dirname, '../../../node_modules/pyright/index.js');
const run = promisify(execFile);

/** A call as it reached the runtime of the wrappers. */
export type Call = readonly [server: string, tool: string, given: Readonly<Record<string, unknown>>];

/** Every Python that there is and that the product takes, one for each minor version. */
export async function everyPython(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of [undefined, ...candidates()]) {
    const python = await findPython(path === undefined ? {} : { python: path }).catch(() => undefined);
    const [major, minor] = python?.versionInfo ?? [];
    if (python && !found.has(`${major}.${minor}`)) found.set(`${major}.${minor}`, python.executable);
  }
  return found;
}

/** Imports and uses every wrapper of the workspace, on every Python. */
export async function importAll(workspace: string): Promise<void> {
  const pythons = await everyPython();
  if (pythons.size === 0) throw new Error('No Python was found');
  for (const python of pythons.values()) await useWrappers(python, workspace);
}

/** The calls that arrived when every function of every package below the folder was called, by package. */
export async function useWrappers(python: string, folder: string): Promise<Readonly<Record<string, readonly Call[]>>> {
  return JSON.parse(await runPython(python, join(import.meta.dirname, 'use_wrappers.py'), folder));
}

/** What the strict type checker has to say of the Python in the folder, as lines; it rejects where that is anything. */
export async function checkTypes(folder: string): Promise<void> {
  const problems = await typeProblems(folder);
  if (problems.length > 0) throw new Error(problems.slice(0, 40).join('\n'));
}

/** A line for each: `servers/github/x.py:3 reportGeneralTypeIssues ...` */
export async function typeProblems(folder: string): Promise<readonly string[]> {
  const config = {
    include: ['.'],
    extraPaths: [pythonPart],
    typeCheckingMode: 'strict',
    pythonVersion: '3.10',
    reportMissingModuleSource: false,
  };
  writeFileSync(join(folder, 'pyrightconfig.json'), JSON.stringify(config));
  const args = [pyright, '--outputjson', '--project', folder];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 256 * 1024 * 1024 }).catch((error: unknown) => {
    if (isOutput(error)) return error;
    throw error;
  });
  const report: PyrightReport = JSON.parse(stdout);
  if (report.summary.filesAnalyzed === 0) throw new Error('The type checker found no files');
  return report.generalDiagnostics.map(
    ({ file, range, rule = '', message }) =>
      `${relative(folder, file)}:${(range?.start.line ?? 0) + 1} ${rule} ${message.split('\n')[0]}`,
  );
}

interface PyrightReport {
  readonly summary: { readonly filesAnalyzed: number };
  readonly generalDiagnostics: readonly {
    readonly file: string;
    readonly message: string;
    readonly rule?: string;
    readonly range?: { readonly start: { readonly line: number } };
  }[];
}

function isOutput(error: unknown): error is { readonly stdout: string } {
  return error instanceof Error && 'stdout' in error && String(error.stdout).startsWith('{');
}

/** What the script printed; rejects with what it wrote to stderr where it fails. */
export async function runPython(python: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PYTHONPATH: pythonPart, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' };
  const { stdout } = await run(python, [...args], { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function candidates(): readonly string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = namesIn(versions).map((name) => join(versions, name, 'bin', 'python3'));
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
    .filter((path) => /python3\.\d+$/.test(path) && !path.includes('shims'));
  return [...onPath, ...ofPyenv];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
