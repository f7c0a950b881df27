import { isJsonObject, type JsonObject } from '../../toolbox.js';
import type { SuiteInput } from '../suite/schema.js';
import { literalText } from './literals.js';
import { plainLine } from './plain-line.js';
import type { ServerInput } from './server-secrets.js';
import type { CaseInput } from './writer.js';

interface SuiteParts {
  /** What the server calls itself. */
  readonly name?: string;
  readonly server: ServerInput;
  readonly capabilities: JsonObject;
  readonly cases: readonly CaseInput[];
}

const knownCapabilities = ['tools', 'resources', 'prompts', 'logging', 'completions'];
const longestName = 100;

export function bareSuite({ name = '', server, capabilities, cases }: SuiteParts): SuiteInput {
  const title = plainLine(name, longestName);
  const declared = knownCapabilities.filter((each) => isJsonObject(capabilities[each]));
  return {
    version: 1,
    ...(title !== '' && { name: literalText(title) }),
    server,
    ...(declared.length > 0 && { capabilities: declared }),
    ...(cases.length > 0 && { cases }),
  };
}
