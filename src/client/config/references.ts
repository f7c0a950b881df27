import { basename, sep } from 'node:path';
import { type Reference, type References, variableIn } from '../../configfile/expand.js';
import { type Path, shownName } from '../../configfile/place.js';
import type { CallerError } from '../../errors.js';
import { looksSecret } from '../../redact.js';
import type { Secrets } from './secrets.js';

/** What references in a config may stand for. */
export interface KnownValues {
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** The folder that the config is about. */
  readonly folder: string;
  /** By id, as they were given. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Inputs that the config declares, each with its default. */
  readonly declared: ReadonlyMap<string, string | undefined>;
}

/** References of one entry. What is put in for one and must not be shown is kept in `secrets`. */
export function createReferences(
  known: KnownValues,
  secrets: Secrets,
  wrong: (path: Path, reason: string) => CallerError,
): References {
  return {
    valueOf(reference) {
      const predefined = predefinedValue(reference, known);
      if (predefined !== undefined) return predefined;
      if (reference.scope === 'editor') return undefined;
      const isInput = reference.scope === 'input';
      const value = isInput ? inputValue(reference.name, known) : variableIn(known.environment, reference.name);
      if (value !== undefined && (isInput || looksSecret(reference.name))) secrets.add(value);
      return value;
    },
    onUnset(path, reference) {
      throw wrong(path, reasonFor(reference));
    },
  };
}

/** The variable that answers `${input:id}`. */
export function inputVariable(id: string): string {
  return `MCP_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

function predefinedValue({ scope, name }: Reference, { folder, home }: KnownValues): string | undefined {
  if (scope === 'input') return undefined;
  switch (name) {
    case 'workspaceFolder':
    case 'cwd':
      return folder;
    case 'workspaceFolderBasename':
      return basename(folder);
    case 'userHome':
      return home;
    case 'pathSeparator':
    case '/':
      return sep;
    default:
      return undefined;
  }
}

function inputValue(id: string, { inputs, environment, declared }: KnownValues): string | undefined {
  const given = Object.hasOwn(inputs, id) ? inputs[id] : undefined;
  return given ?? variableIn(environment, inputVariable(id)) ?? declared.get(id);
}

function reasonFor({ scope, name, written }: Reference): string {
  if (scope === 'env') return `the variable ${name} is not set; set it, or write \${${name}:-a default}`;
  if (scope === 'editor') return `${shownName(written)} is known to the editor alone; write what it stands for`;
  return `the input ${shownName(name)} has no value; set the variable ${inputVariable(name)}, or give the input a default`;
}
