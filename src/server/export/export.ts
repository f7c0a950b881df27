import { extname, join, resolve, sep } from 'node:path';
import { CallerError, LimitError } from '../../errors.js';
import type { Manifest } from '../../manifest/manifest.js';
import { type BundleNames, namesOf, scriptNames } from './bundle-names.js';
import { contentsOf } from './contents.js';
import { gather } from './gather.js';
import { layOut } from './layout.js';
import { checkArchive, writeArchive } from './write-archive.js';
import { checkFolder, writeFolder, wrongPlace } from './write-folder.js';

export interface ExportOptions extends Partial<BundleNames> {
  /** What discovery found, with absolute paths. */
  readonly manifest: Manifest;
  /** A folder, or a file that ends in .mcpb. */
  readonly to: string;
  /** Patterns of further files, seen from the folder of each script. */
  readonly include?: readonly string[];
  /** Gives up what is in the folder, whatever it is. */
  readonly force?: boolean;
  /** The bundled server; the one of this installation where it is not given. */
  readonly server?: string;
  readonly signal?: AbortSignal;
}

export interface Exported extends BundleNames {
  readonly to: string;
  readonly kind: 'folder' | 'archive';
  readonly files: number;
  readonly bytes: number;
  readonly tools: readonly string[];
  /** What may not work on another machine, in sentences. */
  readonly warnings: readonly string[];
}

/** Writes scripts as a server that runs with Node and Python alone. */
export async function exportScripts(options: ExportOptions): Promise<Exported> {
  const { manifest, include, force = false, server, signal } = options;
  const to = resolve(options.to);
  const kind = kindOf(to);
  const names = namesOf(manifest, options);
  const tools = manifest.tools.filter(({ enabled }) => enabled).map(({ name }) => name);
  if (tools.length === 0) throw nothingToServe(manifest);
  await (kind === 'archive' ? checkArchive(to) : checkFolder(to, force));
  const { scripts, warnings } = await gather(manifest, { include, leaveOut: to });
  if (kind === 'folder')
    checkApart(
      to,
      scripts.flatMap(({ files }) => files),
    );
  const places = layOut(scripts.map(({ files }) => files));
  const files = await contentsOf({ manifest, names, places, server });
  try {
    const bytes = await (kind === 'archive' ? writeArchive : writeFolder)(files, to, signal);
    return { ...names, to, kind, files: files.length, bytes, tools, warnings };
  } catch (error) {
    if (signal?.aborted) throw new LimitError('CANCELLED', 'The export was cancelled; nothing was written');
    throw isSystemError(error) ? wrongPlace(`${to} cannot be written: ${error.message}`, error) : error;
  }
}

function kindOf(to: string): Exported['kind'] {
  const extension = extname(to).toLowerCase();
  if (extension === '.mcpb') return 'archive';
  if (!filesOfOtherKinds.has(extension)) return 'folder';
  throw wrongPlace(`${to} is neither a folder nor a file that ends in .mcpb`);
}

const filesOfOtherKinds = new Set(['.zip', '.dxt', '.json', '.py', '.js', '.mjs', '.tgz', '.gz']);

function nothingToServe(manifest: Manifest): CallerError {
  const subject = scriptNames(manifest) || 'The manifest';
  return new CallerError(
    'INVALID_SCRIPT',
    `${subject} has no tool that is enabled; mcp-exec discover --explain says why`,
  );
}

/** The folder is replaced as a whole: it must hold neither what is exported nor the place where we stand. */
function checkApart(to: string, files: readonly string[]): void {
  const isInside = (path: string) => path.startsWith(join(to, sep));
  if (isInside(join(process.cwd(), sep))) throw wrongPlace(`${to} holds the working folder; name another folder`);
  const held = files.find(isInside);
  if (held !== undefined) throw wrongPlace(`${to} holds ${held}, which is exported; name another folder`);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
