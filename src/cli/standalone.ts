#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import * as z from 'zod';
import { reportFailure } from './failure.js';
import { listenToProcess } from './interruption.js';
import { addServeFlags } from './serve-flags.js';
import { type ServeFlags, serveTargets } from './serving.js';
import { addSettings, readSettings, withLoneFlags } from './settings.js';
import { createTerminal, type Terminal } from './terminal.js';

/** The entry of the one file that an export carries: serves the tools.json beside it. */
const folder = dirname(fileURLToPath(import.meta.url));
const usageExitCode = 2;

const aboutSchema = z.object({ name: z.string(), version: z.string(), description: z.string().default('') });
type About = z.output<typeof aboutSchema>;

const epilogue = `
Every setting may also be given as a variable: --timeout-ms as MCP_EXECUTION_TIMEOUT_MS. A flag wins over its variable.

Example:
  $ node server.mjs --profile strict`;

const terminal = createTerminal(listenToProcess());
process.exitCode = await run(process.argv.slice(2), { ...terminal, environment: filledIn(terminal.environment) });

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  try {
    const program = describe(about(), terminal).action(async (flags: ServeFlags, command: Command) => {
      const settings = readSettings(command, terminal.environment);
      exitCode = await serveTargets([join(folder, 'tools.json')], flags, settings, terminal);
    });
    await program.parseAsync(withLoneFlags(words), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    return reportFailure(error, terminal);
  }
}

function describe({ name, version, description }: About, terminal: Terminal): Command {
  const program = new Command('node server.mjs')
    .description(`${description}\n\nThe MCP server ${name}, on standard input and output: a client starts it.`.trim())
    .usage('[settings]')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.note })
    .addHelpText('after', epilogue)
    .allowExcessArguments(false)
    .exitOverride();
  addServeFlags(program);
  addSettings(program);
  return program;
}

function about(): About {
  return aboutSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

/** A client that leaves the placeholders of a bundle as they are means that nothing was filled in. */
function filledIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isPlaceholder = (text = '') => /^\$\{user_config\.\w+\}$/.test(text);
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => !isPlaceholder(text)));
}
