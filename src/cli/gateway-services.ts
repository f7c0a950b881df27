import { statSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { splitCommand } from '../configfile/split-command.js';
import { CallerError } from '../errors.js';
import { type ServiceDefinition, serviceIdForm } from '../gateway/service.js';
import type { Log } from '../log.js';
import { explore } from '../manifest/explore.js';
import { findTargets, isManifest } from '../manifest/targets.js';

export interface GivenServices {
  readonly targets: readonly string[];
  /** Each in the form id=command, or id=url. */
  readonly commands: readonly string[];
  readonly urls: readonly string[];
}

export interface Finding {
  readonly python?: string;
  readonly cacheDir?: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The services that a command line asks for. Two of one id are an error, because one would hide the other. */
export async function servicesOf(given: GivenServices, finding: Finding): Promise<readonly ServiceDefinition[]> {
  const found: ServiceDefinition[] = [];
  for (const target of given.targets) found.push(...(await servicesOfTarget(target, finding)));
  found.push(...given.commands.map(commandService), ...given.urls.map(urlService));
  return refuseClashes(withoutRepeats(found));
}

/** One id, one service; `others` may come from a config file. */
export function refuseClashes(services: readonly ServiceDefinition[]): readonly ServiceDefinition[] {
  const byId = new Map<string, ServiceDefinition>();
  for (const service of services) {
    const other = byId.get(service.id);
    if (other) throw clash(other, service);
    byId.set(service.id, service);
  }
  return services;
}

async function servicesOfTarget(target: string, finding: Finding): Promise<readonly ServiceDefinition[]> {
  const path = resolve(target);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return (await scriptsWithTools(path, finding)).map((script) => scriptService(stemOf(script), script));
  findTargets([path]);
  return [scriptService(isManifest(path) ? nameOfManifest(path) : stemOf(path), path)];
}

/** A module without a tool is no service, and a script that cannot be read is told of and left out. */
async function scriptsWithTools(folder: string, finding: Finding): Promise<readonly string[]> {
  const { manifest, problems } = await explore([folder], finding);
  for (const { path, error } of problems) {
    finding.log.script.error('a script is not served', { script: path, code: error.code, message: error.message });
  }
  const used = new Set(manifest.tools.filter(({ enabled }) => enabled).map(({ run }) => run.script));
  const [first] = problems;
  if (used.size === 0 && first) throw first.error;
  if (used.size > 0) return manifest.scripts.map(({ path }) => path).filter((path) => used.has(path));
  const message = `No script in ${folder} has a tool; mcp-exec discover --explain ${folder} says why, and what to change`;
  throw new CallerError('INVALID_SCRIPT', message, { file: folder });
}

function scriptService(name: string, path: string): ServiceDefinition {
  return { id: asId(name), source: { kind: 'script', targets: [path] } };
}

function commandService(word: string): ServiceDefinition {
  const { id, value } = splitAssignment(word, '--command', "'git=uvx mcp-server-git'");
  const [command, ...args] = splitCommand(value);
  if (command === undefined) throw wrong('--command', `"${word}" has no command after the equals sign`);
  return { id, source: { kind: 'command', command, args, cwd: process.cwd() } };
}

function urlService(word: string): ServiceDefinition {
  const { id, value } = splitAssignment(word, '--url', 'far=https://example.com/mcp');
  if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) {
    throw wrong('--url', `"${value}" is no address that begins with http:// or https://`);
  }
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') {
    throw wrong('--url', 'an address holds no credentials: name the server in a config file, with headers');
  }
  return { id, source: { kind: 'url', url: value } };
}

function splitAssignment(word: string, flag: string, example: string): { readonly id: string; readonly value: string } {
  const [, id, value] = /^([^=]*)=([\s\S]*)$/.exec(word) ?? [];
  if (id === undefined || value === undefined) throw wrong(flag, `"${word}" is not of the form ${example}`);
  if (serviceIdForm.test(id)) return { id, value };
  throw wrong(flag, `"${id}" is no id: letters, digits, ".", "_" and "-", at most 64, the first a letter or digit`);
}

const longestId = 64;

/** A file may have any name; an id may not. */
function asId(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[^A-Za-z0-9]+/, '');
  return plain.slice(0, longestId) || 'script';
}

function stemOf(path: string): string {
  return basename(path, extname(path) === '.py' ? '.py' : '');
}

/** A manifest of no name of its own is that of its folder. */
function nameOfManifest(path: string): string {
  const stem = basename(path, extname(path));
  return stem === 'tools' || stem === 'manifest' ? basename(dirname(path)) || stem : stem;
}

/** The same script by two ways, such as a folder and a file in it, is one service. */
function withoutRepeats(services: readonly ServiceDefinition[]): readonly ServiceDefinition[] {
  const distinct = new Map(services.map((service) => [JSON.stringify([service.id, service.source]), service]));
  return [...distinct.values()];
}

function clash(one: ServiceDefinition, other: ServiceDefinition): CallerError {
  const example = `{ "services": { "ANOTHER-ID": { "script": ${JSON.stringify(originOf(other))} } } }`;
  const message =
    `Two services have the id ${one.id}: ${originOf(one)} and ${originOf(other)}. ` +
    `Leave one out, rename its file, or give it another id in a config file: ${example}`;
  return new CallerError('INVALID_ARGUMENTS', message);
}

function originOf({ source }: ServiceDefinition): string {
  if (source.kind === 'script') return source.targets.map((target) => relative('', target) || target).join(', ');
  return source.kind === 'url' ? source.url : source.command;
}

function wrong(argument: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${argument}: ${reason}`, { argument });
}
