import { basename } from 'node:path';
import { CallerError } from '../../errors.js';
import type { Manifest } from '../../manifest/manifest.js';

/** What a bundle is called, beside the tools in it. */
export interface BundleNames {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
}

/** What was not said is taken from the first script. */
export function namesOf(manifest: Manifest, given: Partial<BundleNames>): BundleNames {
  const [first] = manifest.scripts;
  const names = {
    name: given.name ?? (asName(basename(first?.path ?? '', '.py')) || 'tools'),
    version: given.version ?? '0.1.0',
    description: given.description ?? (firstParagraph(first?.description) || `Tools of ${scriptNames(manifest)}.`),
    author: given.author ?? 'unknown',
  };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(names.name)) {
    throw wrong(
      '--name',
      `"${names.name}" is not made of letters, digits, dots, hyphens and underscores, 64 at the most`,
    );
  }
  if (!/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(names.version)) {
    throw wrong('--bundle-version', `"${names.version}" is not of the form 1.2.3`);
  }
  return names;
}

export function scriptNames({ scripts }: Manifest): string {
  return scripts.map(({ path }) => basename(path)).join(', ');
}

export function firstParagraph(text = ''): string {
  return (text.trim().split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ');
}

/** A name of letters, digits, hyphens and underscores, as near to the text as it can be. */
export function asName(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[_-]+|[_-]+$/g, '')
    .slice(0, 64);
}

function wrong(argument: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${argument}: ${reason}`, { argument });
}
