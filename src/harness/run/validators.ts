import type { StepSpec, ValidatorSpec } from '../suite/schema.js';
import type { Suite } from '../suite.js';
import type { Validator, Validators } from '../validators.js';

export interface PreparedValidators {
  of(spec: ValidatorSpec): Promise<Validator>;
}

/** All validators of a suite, each source compiled once, from now on and beside everything else. */
export function prepareValidators(suite: Suite, validators: Validators): PreparedValidators {
  const bySource = new Map<string, Promise<Validator>>();
  const bySpec = new Map<ValidatorSpec, Promise<Validator>>();
  for (const { step, name } of stepsOf(suite)) for (const spec of step.validate ?? []) prepare(spec, name);
  return { of: (spec) => bySpec.get(spec) ?? prepare(spec, suite.name) };

  function prepare(spec: ValidatorSpec, name: string): Promise<Validator> {
    const source = spec.script ?? suite.texts.get(spec.file ?? '') ?? '';
    const key = JSON.stringify({ ...spec, when: undefined, name: spec.file ?? source });
    let prepared = bySource.get(key);
    if (!prepared) {
      prepared = validators.prepare({ spec, source, name: spec.file ?? `<validator of ${name}>` });
      // Whoever needs it hears of a failure; until then nobody does.
      prepared.catch(() => {});
      bySource.set(key, prepared);
    }
    const own = prepared.then((validator) => ({ ...validator, spec }));
    own.catch(() => {});
    bySpec.set(spec, own);
    return own;
  }
}

function* stepsOf({ document, cases }: Suite): Generator<{ readonly step: StepSpec; readonly name: string }> {
  for (const step of document.setup) yield { step, name: step.name ?? 'setup' };
  const seen = new Set<StepSpec>();
  for (const { spec } of cases) {
    if (seen.has(spec)) continue;
    seen.add(spec);
    for (const step of [...spec.setup, spec, ...spec.teardown]) yield { step, name: spec.name };
  }
  for (const step of document.teardown) yield { step, name: step.name ?? 'teardown' };
}
