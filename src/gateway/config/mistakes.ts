import * as z from 'zod';
import { settingNames } from '../../config.js';
import type { Path } from '../../configfile/place.js';
import { nearest } from '../../nearest.js';
import { reasonOf } from '../../settings.js';
import { gatewaySettingFamily } from './family.js';
import { gatewayConfigSchema, serviceEntries } from './schema.js';

export interface Mistake {
  readonly path: Path;
  readonly reason: string;
}

/** The first mistake of a config file, in words that say what to write. Values are never shown: they may be secret. */
export function explain(error: z.ZodError, value: unknown): Mistake {
  const [issue] = error.issues;
  if (issue === undefined) return { path: [], reason: 'not allowed' };
  const path = namesOf(issue.path);
  if (issue.code === 'invalid_union' && path[0] === 'services') return explainService(path, value);
  if (issue.code === 'unrecognized_keys') return unknownName(path, issue.keys[0] ?? '', value);
  if (issue.code === 'invalid_key') return { path, reason: issue.issues[0]?.message ?? 'not allowed' };
  return { path, reason: reasonOf(issue.message) };
}

/** Which of the three it was meant to be is clear from what it has. */
function explainService(path: Path, value: unknown): Mistake {
  const entry = valueAt(value, path);
  if (typeof entry !== 'object' || entry === null) return { path, reason: 'expected an object: { … }' };
  const kinds = Object.keys(serviceEntries).filter(isKind);
  const given = kinds.filter((kind) => kind in entry);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    const found = given.length > 1 ? `has ${given.join(' and ')}` : 'has none of them';
    return { path, reason: `a service has one of ${kinds.join(', ')}; this one ${found}` };
  }
  const parsed = serviceEntries[kind].safeParse(entry);
  if (parsed.success) return { path, reason: 'not allowed' };
  const [issue] = parsed.error.issues;
  const place = [...path, ...namesOf(issue?.path ?? [])];
  if (issue?.code === 'unrecognized_keys') return unknownName(place, issue.keys[0] ?? '', value);
  return { path: place, reason: reasonOf(issue?.message) };
}

function isKind(name: string): name is keyof typeof serviceEntries {
  return name in serviceEntries;
}

function unknownName(path: Path, name: string, value: unknown): Mistake {
  const known = namesAt(path, value);
  const near = nearest(name, known);
  const hint = elsewhere(path, name) ?? (near ? `did you mean ${near}?` : `known are ${known.join(', ')}`);
  return { path: [...path, name], reason: `there is nothing of this name; ${hint}` };
}

/** Settings of the engine and of the gateway are easily taken for each other. */
function elsewhere(path: Path, name: string): string | undefined {
  const isOfEngine = settingNames.some((known) => known === name);
  if (path.length === 0 && isOfEngine) return `it is a setting of the engine: write it into "settings"`;
  const isOfGateway = gatewaySettingFamily.names.some((known) => known === name);
  return path[0] === 'settings' && isOfGateway
    ? 'it is a setting of the gateway: write it outside of "settings"'
    : undefined;
}

function namesAt(path: Path, value: unknown): readonly string[] {
  let schema: unknown = gatewayConfigSchema;
  let at: unknown = value;
  for (const step of path) {
    schema = below(unwrapped(schema), step, valueAt(at, [step]));
    at = valueAt(at, [step]);
  }
  const found = unwrapped(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function below(schema: unknown, step: string | number, value: unknown): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[step];
  if (schema instanceof z.ZodArray) return schema.element;
  if (!(schema instanceof z.ZodRecord)) return undefined;
  const kind = Object.keys(value ?? {}).find(isKind);
  return kind === undefined ? schema.valueType : serviceEntries[kind];
}

function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodReadonly || inner instanceof z.ZodDefault) {
    inner = inner.unwrap();
  }
  return inner;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  );
}

function namesOf(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step));
}
