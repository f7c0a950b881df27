import * as z from 'zod';
import { CallerError } from './errors.js';
import { nearest } from './nearest.js';

type NameOf<S extends z.ZodObject> = keyof S['shape'] & string;

/** Settings as they came from outside, before the schema has seen them. */
export type Unchecked<S extends z.ZodObject> = { readonly [K in NameOf<S>]?: unknown };

export type SettingKind =
  | { readonly kind: 'text' | 'number' | 'list' | 'switch' | 'some or all' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

/** All that follows from a schema of settings: names of flags and variables, and how their texts are read. */
export interface SettingFamily<S extends z.ZodObject> {
  readonly names: readonly NameOf<S>[];
  environmentName(name: NameOf<S>): string;
  flagName(name: NameOf<S>): string;
  kindOf(name: NameOf<S>): SettingKind;
  /** What it means, and its default where that is one word. */
  describe(name: NameOf<S>): string;
  /** A flag's or variable's text as the type of its setting; what does not fit is left for the schema to refuse. */
  fromText(name: NameOf<S>, text: string): unknown;
  /** Settings found in environment variables. A name close to a setting's is taken for a slip; others are not ours. */
  fromEnvironment(environment: NodeJS.ProcessEnv): Unchecked<S>;
  parse(input?: Unchecked<S>): z.output<S>;
}

export interface FamilyOptions {
  readonly environmentPrefix: string;
  /** Variables that begin with one of these belong to another family. */
  readonly othersPrefixes?: readonly string[];
  /** Names that another family has flags for already: the flags of these begin with the given word. */
  readonly taken?: { readonly names: readonly string[]; readonly word: string };
}

export function createSettingFamily<S extends z.ZodObject>(schema: S, options: FamilyOptions): SettingFamily<S> {
  const { environmentPrefix, othersPrefixes = [], taken } = options;
  const names = Object.keys(schema.shape).filter((name): name is NameOf<S> => Object.hasOwn(schema.shape, name));

  const environmentName = (name: NameOf<S>) =>
    `${environmentPrefix}${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  const settingOf = new Map(names.map((name) => [environmentName(name), name]));
  const kindOf = (name: NameOf<S>) => kindOfSchema(schema.shape[name]);
  const fromText = (name: NameOf<S>, text: string) => textAs(kindOf(name), text);

  return {
    names,
    environmentName,
    flagName(name) {
      const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return taken?.names.includes(name) ? `--${taken.word}-${words}` : `--${words}`;
    },
    kindOf,
    describe(name) {
      const description = z.globalRegistry.get(schema.shape[name] ?? z.never())?.description ?? '';
      const fallback: unknown = z.safeParse(schema.shape[name] ?? z.never(), undefined).data;
      const isShown = typeof fallback === 'string' || typeof fallback === 'number';
      return isShown ? `${description} Default: ${fallback === '.' ? 'the working folder' : fallback}.` : description;
    },
    fromText,
    fromEnvironment(environment) {
      const found: { [K in NameOf<S>]?: unknown } = {};
      for (const [variable, text] of Object.entries(environment)) {
        if (!variable.startsWith(environmentPrefix) || text === undefined || text === '') continue;
        if (othersPrefixes.some((prefix) => variable.startsWith(prefix))) continue;
        const name = settingOf.get(variable);
        if (name === undefined) refuseSlip(variable);
        else found[name] = fromText(name, text);
      }
      return found;
    },
    parse(input = {}) {
      const parsed = schema.safeParse(input);
      if (parsed.success) return parsed.data;
      throw settingError(parsed.error, input, names);
    },
  };

  function refuseSlip(variable: string): void {
    const known = [...settingOf.keys()];
    const near = nearest(
      variable.slice(environmentPrefix.length),
      known.map((name) => name.slice(environmentPrefix.length)),
    );
    if (near !== undefined) throw unknownSetting(variable, known);
  }
}

export function settingError(
  error: z.ZodError,
  input: { readonly [name: string]: unknown },
  known: readonly string[],
): CallerError {
  const issue = error.issues[0];
  if (issue?.code === 'unrecognized_keys') return unknownSetting(issue.keys[0] ?? '', known);
  const reason = reasonOf(issue?.message);
  const setting = known.find((name) => name === issue?.path[0]);
  if (setting === undefined) return new CallerError('INVALID_SETTING', `Settings: ${reason}`);
  const message = `Setting ${setting}: ${reason}, got ${JSON.stringify(input[setting]) ?? typeof input[setting]}`;
  return new CallerError('INVALID_SETTING', message, { setting });
}

export function unknownSetting(name: string, known: readonly string[]): CallerError {
  const near = nearest(name, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
  return new CallerError('INVALID_SETTING', `Unknown setting ${name}; ${hint}`, { setting: name });
}

/** What was expected, without what was found: that may be a secret. */
export function reasonOf(message = 'not allowed'): string {
  return message.replace(/^Invalid (input|option): |, received .*/g, '');
}

function kindOfSchema(schema: unknown): SettingKind {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) {
    return kindOfSchema(schema.unwrap());
  }
  if (schema instanceof z.ZodEnum) return { kind: 'choice', choices: schema.options.map(String) };
  if (schema instanceof z.ZodArray) return { kind: 'list' };
  if (schema instanceof z.ZodUnion) return { kind: 'some or all' };
  if (schema instanceof z.ZodBoolean) return { kind: 'switch' };
  return { kind: schema instanceof z.ZodString ? 'text' : 'number' };
}

function textAs({ kind }: SettingKind, text: string): unknown {
  if (kind === 'switch' && (text === 'true' || text === 'false')) return text === 'true';
  const parts = text.split(',').filter((part) => part !== '');
  if (kind === 'some or all') return parts.includes('true') ? true : parts;
  if (kind === 'list') return parts;
  if (kind === 'number' && /^-?\d[\d_]*$/.test(text)) return Number(text.replaceAll('_', ''));
  return text;
}
