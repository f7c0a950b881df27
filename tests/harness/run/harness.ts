import type { RunOptions, SuiteParts } from '../../../src/harness/harness.js';
import type { CaseReport, Finding, Report } from '../../../src/harness/report.js';
import { runSuites } from '../../../src/harness/run/run.js';
import { suiteOf } from '../../../src/harness/suite/read.js';
import type { SuiteInput } from '../../../src/harness/suite/schema.js';
import type { Validators } from '../../../src/harness/validators.js';
import { createLog } from '../../../src/log.js';
import type { OpenServer } from '../../../src/testedserver.js';
import type { JsonValue } from '../../../src/toolbox.js';
import { folderWith } from '../../engine/harness.js';

/** Validators in TypeScript: what a source says is looked up here. */
export type FakeValidators = Readonly<
  Record<
    string,
    (context: { readonly [key: string]: JsonValue }) => {
      readonly findings?: readonly Finding[];
      readonly values?: Record<string, JsonValue>;
    }
  >
>;

export interface Ran {
  readonly report: Report;
  readonly statuses: Readonly<Record<string, CaseReport['status']>>;
  caseOf(id: string): CaseReport;
  /** The messages of the findings of a case. */
  findingsOf(id: string): readonly string[];
}

/** Runs a suite against fake servers. */
export async function runFake(
  suite: Omit<SuiteInput, 'version' | 'server'>,
  open: OpenServer,
  {
    validators = {},
    folder = folderWith({}),
    ...options
  }: RunOptions & { validators?: FakeValidators; folder?: string } = {},
): Promise<Ran> {
  const document = { version: 1, server: { command: 'fake' }, ...suite };
  const read = await suiteOf(document, { environment: {}, folder, name: 'fakes' });
  const report = await runSuites([read], options, {
    version: '0.0.0',
    withParts: (_suite, use) => use(partsOf({ open, validators, folder })),
  });
  const cases = report.suites.flatMap((each) => each.cases);
  const caseOf = (id: string) => {
    const found = cases.find((each) => each.id === id);
    if (!found) throw new Error(`There is no case ${id}; there are ${cases.map((each) => each.id).join(', ')}`);
    return found;
  };
  return {
    report,
    statuses: Object.fromEntries(cases.map(({ id, status }) => [id, status])),
    caseOf,
    findingsOf: (id) => caseOf(id).findings.map(({ message }) => message),
  };
}

/** What a suite is given of the rest. */
export function partsOf({
  open,
  validators = {},
  folder,
}: {
  readonly open: OpenServer;
  readonly validators?: FakeValidators;
  readonly folder: string;
}): SuiteParts {
  return {
    open,
    kind: 'command',
    shown: 'fake',
    redact: (text) => text.replaceAll('s3cret', '[redacted]'),
    validators: fakeValidators(validators),
    conformance: async () => [],
    temp: folder,
    log: createLog({ level: 'silent' }),
  };
}

function fakeValidators(known: FakeValidators): Validators {
  return {
    async prepare({ source, spec, name }) {
      return {
        spec,
        name,
        async run(context) {
          const { findings = [], values = {} } = known[source]?.(context as never) ?? {};
          return { findings, values, logs: [] };
        },
      };
    },
    async close() {},
  };
}
