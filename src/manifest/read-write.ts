import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type * as z from 'zod';
import { CallerError } from '../errors.js';
import { type Manifest, type ManifestTool, manifestSchema } from './manifest.js';

const byteOrderMark = '\uFEFF';

/** The manifest in a file, its paths made absolute. */
export async function readManifest(file: string): Promise<Manifest> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw invalid(path, `cannot be read: ${reason}`, { cause });
  });
  const parsed = manifestSchema.safeParse(jsonOf(text, path));
  if (!parsed.success) throw invalid(path, explain(parsed.error));
  const manifest = withPaths(parsed.data, (written) => resolve(dirname(path), written));
  checkReferences(manifest, path);
  return manifest;
}

/** Writes the manifest whole or not at all, with paths relative to its file. */
export async function writeManifest(manifest: Manifest, file: string): Promise<void> {
  const path = resolve(file);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, manifestText(manifest, dirname(path)), { flag: 'wx' });
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(draft, path);
    throw invalid(path, `cannot be written: ${reason}`, { cause });
  }
}

/** The manifest as it stands in a file of that folder. */
export function manifestText(manifest: Manifest, folder: string): string {
  const written = withPaths(manifest, (path) => writtenPath(folder, path));
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** Another drive of Windows has no relative path. */
function writtenPath(folder: string, path: string): string {
  const written = relative(folder, path);
  return isAbsolute(written) ? written : written.split(sep).join('/');
}

function withPaths(manifest: Manifest, change: (path: string) => string): Manifest {
  return {
    ...manifest,
    scripts: manifest.scripts.map((script) => ({
      ...script,
      path: change(script.path),
      files: script.files.map((file) => ({ ...file, path: change(file.path) })),
    })),
    tools: manifest.tools.map(
      (tool): ManifestTool => ({ ...tool, run: { ...tool.run, script: change(tool.run.script) } }),
    ),
  };
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch (cause) {
    throw invalid(path, `is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** What the schema cannot say: every tool belongs to a script of the manifest, and no two have the same name. */
function checkReferences({ scripts, tools }: Manifest, path: string): void {
  const known = new Set(scripts.map((script) => script.path));
  const names = new Set<string>();
  for (const [index, { name, run }] of tools.entries()) {
    if (!known.has(run.script)) {
      throw invalid(
        path,
        `has no script of the path that tools[${index}].run.script (tool ${name}) names: ${run.script}`,
      );
    }
    if (names.has(name)) throw invalid(path, `has two tools with the name ${name}; the second is tools[${index}]`);
    names.add(name);
  }
}

function explain(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'does not have the form of a manifest';
  const place = issue.path.reduce<string>(
    (text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    '',
  );
  const reason = issue.message.replace(/^Invalid input: /, '');
  return `does not have the form of a manifest: ${place === '' ? 'the whole' : place.slice(1)}: ${reason}`;
}

function invalid(path: string, what: string, options?: ErrorOptions): CallerError {
  return new CallerError('INVALID_MANIFEST', `The manifest ${path} ${what}`, { file: path }, options);
}
