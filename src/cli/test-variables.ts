import { wrongFlag } from './test-mistakes.js';

/** Variables that a person gave a server with --env. */
export interface GivenVariables {
  readonly values: Readonly<Record<string, string>>;
  /** Those that were named alone: the environment has their values. */
  readonly taken: readonly string[];
}

/** No value is shown where something is wrong: it may be a secret. */
export function readVariables(words: readonly string[], environment: NodeJS.ProcessEnv): GivenVariables {
  const taken: string[] = [];
  const values = words.map((word) => {
    const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined || value?.includes('\0')) throw wrongFlag('--env', 'expected NAME, or NAME=value');
    return [name, value ?? environmentValue(name)] as const;
  });
  return { values: Object.fromEntries(values), taken };

  function environmentValue(name: string): string {
    const value = environment[name];
    if (value === undefined) {
      throw wrongFlag('--env', `the variable ${name} is not set; set it, or give its value: --env ${name}=VALUE`);
    }
    taken.push(name);
    return value;
  }
}
