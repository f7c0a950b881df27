import type { SuiteInput } from '../suite/schema.js';
import { bareSuite } from './bare-suite.js';
import { createCaseNames } from './case-names.js';
import { type LeftOut, leftOutLines, withoutSecrets } from './left-out.js';
import type { Recorded } from './recorded.js';
import type { Heard } from './recorder.js';
import { createSecrets, type SecretVariable } from './secrets.js';
import { type ServerInput, withoutServerSecrets } from './server-secrets.js';
import { createWording } from './wording.js';
import type { CaseInput, SuiteNotes } from './writer.js';
import { writtenAction } from './written-action.js';

export interface RecordedSuite {
  readonly suite: SuiteInput;
  readonly notes: SuiteNotes;
  readonly leftOut: readonly LeftOut[];
  /** Variables that have to be set where the suite is run. */
  readonly variables: readonly SecretVariable[];
}

export interface RecordedSuiteOptions {
  readonly server: ServerInput;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables of the server that the suite takes from the environment, by their names. */
  readonly taken?: readonly string[];
  /** The file that it is written to, as a person would name it. */
  readonly file: string;
}

/** What was heard, as a suite that asks and expects the same. */
export function recordedSuite(heard: Heard, options: RecordedSuiteOptions): RecordedSuite {
  const { server, environment, taken, file } = options;
  const secrets = createSecrets(environment, taken);
  const written = withoutServerSecrets(server, secrets, taken);
  const nameOf = createCaseNames(
    (text) => secrets.isIn(text) || heard.captured.some(({ value }) => text.includes(String(value))),
  );
  const nameOfCase = new Map<Recorded, string>();
  const cases = heard.recorded.map((recorded): CaseInput => {
    const name = nameOf(recorded.action);
    nameOfCase.set(recorded, name);
    return caseOf(recorded, name);
  });
  const { name: saidName, capabilities } = heard.server;
  const name = saidName === undefined ? undefined : secrets.hidden(saidName);
  const leftOut = heard.leftOut.map((each) => withoutSecrets(each, secrets));
  const suite = bareSuite({ name, capabilities, server: written, cases });
  const head = [
    `What a client and ${name ?? 'an MCP server'} said to each other.`,
    `Run it: mcp-exec test ${file}`,
    ...variableLines(secrets.variables),
    ...('command' in server ? [environmentLine] : []),
    ...leftOutLines(leftOut),
  ];
  return { suite, notes: { head }, leftOut, variables: secrets.variables };

  function caseOf(recorded: Recorded, name: string): CaseInput {
    const { order, expectation, action } = recorded;
    const known = heard.captured.filter(({ source }) => source !== recorded && source.answeredAfter < order);
    const own = heard.captured.filter(({ source }) => source === recorded);
    const wording = createWording(secrets, namesByValue(known));
    const input = writtenAction(action, wording);
    const expect = wording.expectation(expectation, namesByValue(own));
    const sources = known.flatMap(
      ({ name: each, source }) => (wording.used.has(each) ? nameOfCase.get(source) : undefined) ?? [],
    );
    return {
      name,
      ...input,
      ...(Object.keys(expect).length > 0 && { expect }),
      ...(own.length > 0 && { capture: Object.fromEntries(own.map((each) => [each.name, each.capture])) }),
      ...(sources.length > 0 && { depends_on: [...new Set(sources)] }),
    };
  }
}

const environmentLine =
  'The server was recorded with the environment of its client. In a suite it gets what is safe, and what stands under server.env.';

export function variableLines(variables: readonly SecretVariable[]): string[] {
  return variables
    .filter(({ isSet }) => !isSet)
    .map(({ name, where }) => `Set the variable ${name} before it is run: a secret in ${where}.`);
}

function namesByValue(captured: Heard['captured']): Map<string | number, string> {
  return new Map(captured.map(({ value, name }) => [value, name]));
}
