import type * as z from 'zod';
import { expandReferences, variableIn } from '../../configfile/expand.js';
import type { Path } from '../../configfile/place.js';
import { isPythonSource } from './actions.js';
import type { Mistakes } from './mistakes.js';
import { valueAt, withValueAt } from './paths.js';

/** Every text with its `${VARIABLES}` replaced; Python stays as it is written. */
export function expandEnvironment(written: unknown, environment: NodeJS.ProcessEnv, mistakes: Mistakes): unknown {
  return expandReferences(written, {
    valueOf: (reference) => (reference.scope === 'env' ? variableIn(environment, reference.name) : reference.written),
    onUnset(path, reference) {
      const { name } = reference;
      mistakes.add(path, `the variable ${name} is not set; set it, or write \${${name}:-a default}`);
      return reference.written;
    },
    isLiteral: isPythonSource,
  });
}

/** Variables are texts. Where something else was expected and one says just that, it is taken for it. */
export function withKinds(given: unknown, written: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  let better = given;
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue;
    const path: Path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    const [before, text] = [valueAt(written, path), valueAt(given, path)];
    if (typeof before !== 'string' || typeof text !== 'string' || !before.includes('${')) continue;
    if (numberOrSwitch.test(text)) better = withValueAt(better, path, JSON.parse(text));
  }
  return better;
}

const numberOrSwitch = /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/;
