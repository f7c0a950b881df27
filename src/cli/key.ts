import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CallerError } from '../errors.js';
import type { KeyEntry } from '../gateway/access/keys.js';
import { type Scope, scopes } from '../gateway/access/principal.js';
import { nearest } from '../nearest.js';
import { reportFailure } from './failure.js';
import type { SetExitCode } from './program.js';
import type { Terminal } from './terminal.js';

const details = `
The key goes to stdout, once: it is kept nowhere. What is kept is its SHA-256, which is enough because a key has 256 random bits, so
that nobody can try keys out. With --data the entry is put into keys.json of that folder, with --config into the file; a
gateway that runs takes it up by itself. With neither, the entry is shown, for you to put under "keys". A key is taken back by
removing its entry.

Scopes: call (see and call tools; read /metrics, where no services are named), upload (add, replace and remove own services), admin
(everything).

Examples:
  $ mcp-exec key ada --data /var/lib/mcp
  $ mcp-exec key ci --scopes call,upload --services 'ci-*' --config gateway.json
  $ KEY=$(mcp-exec key prometheus --data /var/lib/mcp)`;

interface Flags {
  readonly scopes?: readonly string[];
  readonly services?: readonly string[];
  readonly data?: string;
  readonly config?: string;
}

export function addKey(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('key')
    .summary('make an API key for a gateway')
    .description('Makes an API key for clients of a gateway, and the entry by which the gateway knows it.')
    .argument('<name>', 'who gets it, for logs and pages')
    .option('--scopes <names>', `what it permits: ${scopes.join(', ')}; call where not given`, toList)
    .option('--services <ids>', 'the services it is for, with * for any characters; all where not given', toList)
    .option('--data <folder>', 'add it to the keys in the data folder of the gateway')
    .option('--config <file>', 'add it to the keys in this config file')
    .addHelpText('after', details)
    .action(async (name: string, flags: Flags) => {
      try {
        await makeKey(name, flags, terminal);
      } catch (error) {
        setExitCode(reportFailure(error, terminal));
      }
    });
}

async function makeKey(name: string, flags: Flags, terminal: Terminal): Promise<void> {
  if (flags.data !== undefined && flags.config !== undefined) {
    throw new CallerError('INVALID_ARGUMENTS', 'Give --data or --config, not both: the entry has one place');
  }
  const { createKey } = await import('../gateway/access/keys.js');
  const { services } = flags;
  const { key, entry } = createKey({ name, scopes: flags.scopes?.map(toScope), services });
  const place = await keep(entry, flags);
  terminal.note(
    place === undefined
      ? `Put this under "keys" in the config file of the gateway:\n${JSON.stringify(entry, null, 2)}\n`
      : `The entry is in ${place}. The key is shown this once:\n`,
  );
  terminal.out(`${key}\n`);
}

async function keep(entry: KeyEntry, { data, config }: Flags): Promise<string | undefined> {
  if (data !== undefined) return keepInFolder(entry, data);
  if (config === undefined) return undefined;
  const { addKeyToConfig } = await import('./key-config.js');
  await addKeyToConfig(config, entry);
  return config;
}

async function keepInFolder(entry: KeyEntry, folder: string): Promise<string> {
  const { addKeptKey } = await import('../gateway/uploads/kept-keys.js');
  try {
    await addKeptKey(resolve(folder), entry);
    return join(folder, 'keys.json');
  } catch (cause) {
    if (cause instanceof CallerError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallerError(
      'INVALID_ARGUMENTS',
      `--data: the key cannot be kept: ${reason}`,
      { argument: '--data' },
      { cause },
    );
  }
}

function toScope(name: string): Scope {
  const scope = scopes.find((known) => known === name);
  if (scope !== undefined) return scope;
  const near = nearest(name, scopes);
  const hint = near === undefined ? `there are ${scopes.join(', ')}` : `did you mean ${near}?`;
  throw new CallerError('INVALID_ARGUMENTS', `--scopes: there is no scope "${name}"; ${hint}`, {
    argument: '--scopes',
  });
}

function toList(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').filter((name) => name !== '')];
}
