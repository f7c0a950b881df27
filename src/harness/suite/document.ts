import { expandEnvironment, withKinds } from './environment.js';
import { explain, knownNames } from './explain.js';
import type { Mistakes } from './mistakes.js';
import { type SuiteDocument, suiteSchema } from './schema.js';

export interface ReadDocument {
  readonly document: SuiteDocument;
  /** The same as it is written, with variables of the environment replaced. */
  readonly given: unknown;
}

/** What a suite says, once its form is right; otherwise its mistakes are thrown. */
export function readDocument(written: unknown, mistakes: Mistakes, environment: NodeJS.ProcessEnv): ReadDocument {
  refuseLostKeys(written, mistakes);
  const expanded = expandEnvironment(written, environment, mistakes);
  const first = suiteSchema.safeParse(expanded, { error: knownNames });
  const given = first.success ? expanded : withKinds(expanded, written, first.error.issues);
  const parsed = given === expanded ? first : suiteSchema.safeParse(given, { error: knownNames });
  if (parsed.success && mistakes.count === 0) return { document: parsed.data, given };
  const explained = parsed.success ? [] : explain(parsed.error.issues, given);
  for (const { path, reason } of explained) mistakes.add(path, reason);
  throw mistakes.all();
}

/** The form of a suite passes over a key of this name, so that what it says would not be looked at. */
function refuseLostKeys(written: unknown, mistakes: Mistakes): void {
  const path: string[] = [];
  lookInto(written);

  function lookInto(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      path.push(key);
      if (key === '__proto__') mistakes.add([...path], 'a key cannot be called __proto__ here: it would be lost');
      else lookInto(Reflect.get(value, key));
      path.pop();
    }
  }
}
