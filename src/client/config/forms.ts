import { resolve } from 'node:path';
import { type ConfigText, type Path, shownName } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import { isObject } from './fields.js';

export interface FoundServer {
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

/** What a config says, whichever client it was written for. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Inputs by id, with their default. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
  /** Where the servers stand; the rest of the file is none of our business. */
  readonly containers: readonly Path[];
}

const maxServers = 1000;

/** Finds the servers of a config. Claude Code keeps those of a project, too, beside those of the user: they count first. */
export function findServers(config: ConfigText, form: 'json' | 'toml', cwd: string): FoundServers {
  const possible = form === 'toml' ? [['mcp_servers']] : jsonContainers(config.value, cwd);
  const containers = possible.filter((path) => valueAt(config.value, path) !== undefined);
  if (containers.length === 0) throw config.wrong([], lackOf(config.value, form));
  const servers = containers.flatMap((path) => {
    const found = valueAt(config.value, path);
    if (!isObject(found)) throw config.wrong(path, 'expected an object with a server for each name: { … }');
    return Object.entries(found).map(([name, value]) => ({ name, value, path: [...path, name] }));
  });
  if (servers.length > maxServers) throw config.wrong([], `it names more than ${maxServers} servers`);
  return { servers, inputs: inputsOf(config.value), containers };
}

function jsonContainers(root: unknown, cwd: string): readonly Path[] {
  const projects = valueAt(root, ['projects']);
  const own = isObject(projects) ? Object.keys(projects).filter((path) => resolve(path) === cwd) : [];
  return [...own.map((path) => ['projects', path, 'mcpServers']), ['mcpServers'], ['servers'], ['mcp', 'servers']];
}

function inputsOf(root: unknown): ReadonlyMap<string, string | undefined> {
  const listed = [['inputs'], ['mcp', 'inputs']].flatMap((path) => {
    const found = valueAt(root, path);
    return Array.isArray(found) ? found : [];
  });
  return new Map(
    listed.flatMap((input): [string, string | undefined][] => {
      const [id, fallback] = [valueAt(input, ['id']), valueAt(input, ['default'])];
      return typeof id === 'string' ? [[id, typeof fallback === 'string' ? fallback : undefined]] : [];
    }),
  );
}

function lackOf(root: unknown, form: 'json' | 'toml'): string {
  if (form === 'toml') return `it names no MCP server; expected [mcp_servers.NAME]${meant(root, ['mcp_servers'])}`;
  const fields = isObject(root) ? Object.values(root) : [];
  const isFlat = fields.some((value) => isObject(value) && ('command' in value || 'url' in value));
  if (isFlat) return 'it names servers, but not in "mcpServers"; write { "mcpServers": { … } } around them';
  return `it names no MCP server; expected "mcpServers": { … }${meant(root, ['mcpServers', 'servers'])}`;
}

function meant(root: unknown, known: readonly string[]): string {
  for (const name of isObject(root) ? Object.keys(root) : []) {
    const near = nearest(name, known);
    if (near !== undefined) return `; did you mean ${near} by ${shownName(name)}?`;
  }
  return '';
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (isObject(at) && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined),
    value,
  );
}
