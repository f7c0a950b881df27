import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { HostError } from '../errors.js';

export type InstallMode = 'wheels' | 'builds';

export interface Packages {
  /** `inline`: each is a requirement of PEP 508. `requirements`: each is a line of requirements.txt, which may be an option. */
  readonly source?: 'inline' | 'requirements';
  readonly packages: readonly string[];
}

/**
 * The requirements of other files that a requirements file names are taken in, so that nothing stays unseen. Of a strict script
 * only files beside it: others may hold secrets, which an error would tell, or never come to an end.
 */
export function withFilesNamed(
  { packages, source }: Packages,
  folder: string,
  strict = false,
): Packages & { constraints: string[] } {
  const constraints: string[] = [];
  if (source === 'inline') return { packages, source, constraints };
  return { packages: packages.flatMap((line) => linesOf(line, folder, [])), source, constraints };

  function linesOf(line: string, place: string, above: readonly string[]): readonly string[] {
    const named = /^(-r|-c|--requirement|--constraint)[ =]?\s*(\S.*)$/.exec(line);
    if (named === null) return [line];
    const [, option = '', name = ''] = named;
    const file = resolve(place, name);
    if (strict && !isFileIn(folder, file)) throw refusal(line, notBeside);
    if (above.includes(file)) throw refusal(line, 'names itself, round about');
    const lines = requirementsIn(file, line).flatMap((inner) => linesOf(inner, dirname(file), [...above, file]));
    if (option === '-r' || option === '--requirement') return lines;
    constraints.push(...lines);
    return [];
  }
}

function requirementsIn(file: string, line: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .replace(/\\\r?\n/g, ' ');
    const lines = text.split(/\r?\n/).map((one) => one.replace(/(^|\s)#.*$/, '').trim());
    return lines.filter((one) => one !== '');
  } catch (cause) {
    throw refusal(line, `cannot be followed: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** Options of a requirements file that choose where packages come from, one in a line, and run nothing. */
const harmlessOption =
  /^(?:(?:--(?:index-url|extra-index-url|find-links|trusted-host)[ =]|-[if] )\s*[^\s-]\S*|--(?:no-index|pre|prefer-binary|require-hashes))$/;

/** All that an installer takes for the end of a line: pip splits where Python does. */
const lineEnds = /[^\P{Cc}\t]|[\u2028\u2029]/u;

/** Wheels are unpacked; anything else would run code of the package on this machine, outside of every sandbox. */
export function refuseUnsafe(
  { packages, source }: Packages,
  mode: InstallMode,
  strict = false,
  folder = process.cwd(),
): void {
  for (const line of packages) {
    const isOption = /^\s*-/.test(line);
    if (lineEnds.test(line)) throw refusal(line, 'is not one line');
    if (source === 'inline' && isOption) throw refusal(line, 'is an option, and inline metadata names packages only');
    // Installers put variables of the environment in, and the environment is not the script's to send away.
    if ((strict || source === 'inline') && line.includes('${')) {
      throw refusal(line, 'names a variable of the environment');
    }
    if (strict && isElsewhere(line, folder)) throw refusal(line, notBeside);
    if (mode === 'builds') continue;
    if (isOption && !harmlessOption.test(line.trim())) throw refusal(line, `is an option that may run code${trust}`);
    if (!isOption && !isNamed(line) && !isWheel(line)) {
      throw refusal(line, `is neither the name of a package nor a wheel, so that installing it may run code${trust}`);
    }
  }
}

const notBeside = 'names what is not in the folder of the script';

/** Any place but the folder of the script, on this machine or another: the host would ask there, where a strict script may not. */
function isElsewhere(line: string, folder: string): boolean {
  if (/^\s*-[\w-]*(?:index-url|find-links|i|f)[ =]/.test(line)) return true;
  if (/^\s*-/.test(line) || isNamed(line)) return false;
  return !isFileIn(folder, resolve(folder, addressOf(line)));
}

function isFileIn(folder: string, file: string): boolean {
  try {
    return realpathSync(file).startsWith(`${realpathSync(folder)}${sep}`) && statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Files that are named by their path, with what tells one version of them from another. */
export function stampsOfFiles(packages: readonly string[], folder: string): readonly string[] {
  return packages
    .filter((line) => !isNamed(line))
    .flatMap((line) => {
      const address = addressOf(line).replace(/^file:(?:\/\/)?/, '');
      const found = /^[a-z][\w+.-]+:/i.test(address)
        ? undefined
        : statSync(resolve(folder, address), { throwIfNoEntry: false });
      return found === undefined ? [] : [`${found.mtimeMs},${found.size},${found.ino}`];
    });
}

/** By name, whoever reads it; the rest are addresses and paths: `x @ https://…`, `./x.whl`, `git+https://…`, `C:\x.whl`, `x.zip`. */
function isNamed(line: string): boolean {
  const requirement = withoutMarker(line);
  return namedRequirement.test(requirement) && !/\.(?:whl|zip|tar|tar\.\w+|t[gbxl]z)\s*(?:\[.*)?$/i.test(requirement);
}

/** A name, extras and versions as PEP 508 has them. */
const namedRequirement =
  /^[A-Za-z0-9][\w.-]* ?(?:\[[\w ,.-]*\])? ?\(? ?(?:(?:===?|[<>]=?|[~!]=) ?(?:\d+!)?[\w.*+-]+ ?,? ?)*\)?$/;

/** In every reading: pip takes a `;` for a part of an address, and a `#` for a part of a path. */
function isWheel(line: string): boolean {
  const written = withoutName(withoutOptions(line).replace(/ ;.*$/, ''));
  const isAddress = /^(?:https?|file):/i.test(written);
  const isOtherAddress = !isAddress && /^[a-z][\w+.-]+:/i.test(written);
  return !isOtherAddress && (isAddress ? /^[^?#;]+\.whl(?:[?#][^;]*)?$/i : /^[^?#;]+\.whl$/i).test(written);
}

function addressOf(line: string): string {
  return withoutName(withoutMarker(line)).replace(/[?#].*$/, '');
}

function withoutName(requirement: string): string {
  return requirement.replace(/^[\w.-]+\s*(?:\[[^\]]*\])?\s*@\s*/, '').trim();
}

function withoutMarker(line: string): string {
  return withoutOptions(line)
    .replace(/ ?;.*$/, '')
    .trim();
}

/** Without hashes and settings, and without a comment. */
function withoutOptions(line: string): string {
  return line.replace(/\s+/g, ' ').replace(/ #.*$/, '').replace(/ -.*$/, '').trim();
}

const trust = '. Where you trust it, allow that with --install-packages builds';

function refusal(line: string, why: string): HostError {
  return new HostError('DEPENDENCIES_FAILED', `The requirement ${JSON.stringify(line)} ${why}.`);
}
