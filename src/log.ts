import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Settings } from './config.js';
import { createRedactor, hideHome, looksSecret } from './redact.js';

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * What concerns a script is logged whole; what concerns the host is logged without the home folder and without
 * environments. Secrets are in neither.
 */
export type LogLayer = 'script' | 'host';

export interface Log {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
  /** The same log with these fields in every entry. */
  child(fields: LogFields): Log;
  /** The same log in the layer of scripts. */
  readonly script: Log;
}

/** A log that can be changed while it is written. */
export interface AdjustableLog extends Log {
  readonly level: Settings['logLevel'];
  /** Holds for every log made of this one, too. */
  setLevel(level: Settings['logLevel']): void;
  /** The next line goes to a file that is opened anew: the old one was moved away. */
  reopen(): void;
}

export interface LogOptions {
  readonly level: Settings['logLevel'];
  /** Names of variables whose values are secret, beside those that look so. */
  readonly secrets?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Takes one line of JSON with its newline; stderr unless said. */
  readonly write?: (line: string) => void;
  /** A file that every line is added to as well. */
  readonly file?: string;
}

const levels = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof levels)[number];

export function createLog(options: LogOptions): AdjustableLog {
  const { secrets, environment } = options;
  const { write, reopen } = withFile(options.write ?? writeToStderr, options.file);
  const redactor = createRedactor(environment, secrets);
  let { level: current } = options;
  let enabled = levelsFrom(current);
  const cleaners = {
    script: createCleaner(redactor.text, false),
    host: createCleaner((text) => hideHome(redactor.text(text)), true),
  };
  return {
    ...createLayer('host', {}),
    get script() {
      return createLayer('script', {});
    },
    get level() {
      return current;
    },
    setLevel(level) {
      current = level;
      enabled = levelsFrom(level);
    },
    reopen,
  };

  function createLayer(layer: LogLayer, inherited: LogFields): Log {
    const at = (level: Level) => (event: string, fields?: LogFields) => {
      if (enabled.has(level)) write(lineOf(level, layer, event, { ...inherited, ...fields }));
    };
    return {
      error: at('error'),
      warn: at('warn'),
      info: at('info'),
      debug: at('debug'),
      child: (fields) => createLayer(layer, { ...inherited, ...fields }),
      get script() {
        return createLayer('script', inherited);
      },
    };
  }

  function lineOf(level: Level, layer: LogLayer, event: string, fields: LogFields): string {
    const head = { time: new Date().toISOString(), level, layer, event: cleaners[layer](event) };
    return `${JSON.stringify({ ...head, ...cleanFields(cleaners[layer], fields), ...head })}\n`;
  }
}

/** A short id: a failure of the host is shown with it, and its detail is found in the log under it. */
export function reference(): string {
  return randomBytes(5).toString('hex');
}

function levelsFrom(level: Settings['logLevel']): ReadonlySet<Level> {
  return new Set(level === 'silent' ? [] : levels.slice(0, levels.indexOf(level) + 1));
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}

interface Sink {
  write(line: string): void;
  reopen(): void;
}

/** The file is opened with the first line. One that cannot be written is told of once, and the log goes on without it. */
function withFile(write: (line: string) => void, file: string | undefined): Sink {
  if (file === undefined) return { write, reopen: () => undefined };
  let descriptor: number | undefined;
  let isLost = false;
  return {
    write(line) {
      write(line);
      if (isLost) return;
      try {
        descriptor ??= openSync(file, 'a', 0o600);
        writeSync(descriptor, line);
      } catch (error) {
        isLost = true;
        const reason = error instanceof Error ? error.message : String(error);
        process.stderr.write(`The log file ${file} cannot be written: ${reason}\n`);
      }
    },
    reopen() {
      isLost = false;
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

type Clean = (value: unknown) => unknown;

const maxDepth = 8;

/** Makes any value fit for JSON, with its texts cleaned; never throws. */
function createCleaner(cleanText: (text: string) => string, hideEnvironments: boolean): Clean {
  return (value) => clean(value, [], '');

  function clean(value: unknown, above: readonly object[], key: string): unknown {
    if (typeof value === 'string') return looksSecret(key) ? '[redacted]' : cleanText(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
    if (typeof value === 'function') return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (hideEnvironments && /^env(?:ironment)?$/i.test(key)) return '[environment left out]';
    if (above.includes(value)) return '[circular]';
    if (above.length >= maxDepth) return '[…]';
    try {
      return cleanObject(value, [...above, value], key);
    } catch (error) {
      return cleanText(`[cannot be logged: ${error instanceof Error ? error.message : 'unknown reason'}]`);
    }
  }

  function cleanObject(value: object, above: readonly object[], key: string): unknown {
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Date || value instanceof URL) return cleanText(String(value.toJSON()));
    if (value instanceof Map)
      return cleanEntries(
        [...value].map(([name, item]) => [String(name), item]),
        above,
      );
    if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => clean(item, above, key));
    return cleanEntries([...errorEntries(value), ...Object.entries(value)], above);
  }

  function cleanEntries(entries: readonly (readonly [string, unknown])[], above: readonly object[]): object {
    return Object.fromEntries(entries.map(([name, item]) => [cleanText(name), clean(item, above, name)]));
  }
}

function errorEntries(value: object): [string, unknown][] {
  if (!(value instanceof Error)) return [];
  const { name, message, stack, cause } = value;
  return Object.entries({ name, message, stack, cause }).filter(([, item]) => item !== undefined);
}

function cleanFields(clean: Clean, fields: LogFields): object {
  const cleaned = clean(fields);
  return typeof cleaned === 'object' && cleaned !== null ? cleaned : { fields: cleaned };
}
