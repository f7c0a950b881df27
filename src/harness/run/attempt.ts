import type { ClientSide, Exchange, TestedServer } from '../../testedserver.js';
import type { JsonValue } from '../../toolbox.js';
import { checkExpectations } from '../expect/expect.js';
import type { CaseSnapshots } from '../expect/snapshots.js';
import type { Finding, LoadReport } from '../report.js';
import { clientSideOf } from '../suite/client.js';
import type { LoadSpec, StepSpec } from '../suite/schema.js';
import { fillVariables, UnknownValue } from '../suite/values.js';
import type { SuiteCase } from '../suite.js';
import { withGrace } from './grace.js';
import { actionOf, requestOf } from './request.js';
import { createValues, type Scene } from './scene.js';
import { reasonOf, type ServerKeeper } from './server-keeper.js';
import { expectationsOf, explained, fill, performStep, type StepResult, toolOf } from './step.js';

/** What all cases of a suite have. */
export interface CaseParts extends Pick<Scene, 'suite' | 'signal' | 'validatorOf' | 'figures'> {
  readonly keeper: ServerKeeper;
  readonly shared: Record<string, JsonValue>;
  snapshotsOf(id: string): CaseSnapshots;
}

/** One try of a case. */
export interface Attempt {
  readonly findings: readonly Finding[];
  readonly step?: StepResult;
  readonly load?: LoadReport;
  readonly stderr?: readonly string[];
}

export async function attemptCase(item: SuiteCase, attempt: number, parts: CaseParts): Promise<Attempt> {
  const { suite, keeper } = parts;
  const { spec } = item;
  const isOwn = spec.client !== undefined || (spec.isolation ?? suite.document.isolation) === 'case';
  const values = createValues(parts.shared, item.row && fillVariables(item.row, parts.shared));
  let client: ClientSide | undefined;
  let server: TestedServer;
  try {
    client = spec.client && clientSideOf(spec.client, values.all);
    server = await (isOwn ? keeper.openOwn(client) : keeper.get());
  } catch (error) {
    if (error instanceof UnknownValue) return { findings: [{ kind: 'value', message: error.message }] };
    const { message, ...rest } = reasonOf(error);
    return { findings: [{ kind: 'server', message, ...rest }] };
  }
  const wordsBefore = isOwn ? 0 : server.wordCount;
  try {
    const before = await runSteps('setup', spec.setup, sceneWith(server));
    const main = before.length > 0 ? {} : await runMain(sceneWith(server));
    const after = await withGrace(parts.signal, async (signal) =>
      runSteps('teardown', spec.teardown, { ...sceneWith(await alive(server)), signal }),
    );
    const findings = [...before, ...(main.findings ?? []), ...after];
    const stderr = findings.length > 0 ? await wordsOf(server, wordsBefore) : [];
    return { ...main, findings, ...(stderr.length > 0 && { stderr }) };
  } finally {
    if (isOwn) await server.close();
  }

  /** A step cleans up even where its case ended the server that all share. */
  async function alive(before: TestedServer): Promise<TestedServer> {
    if (isOwn || !before.isOver || spec.teardown.length === 0) return before;
    return keeper.get().catch(() => before);
  }

  async function runMain(scene: Scene): Promise<Partial<Attempt>> {
    if (spec.load) return runLoadCase(spec, spec.load, scene, isOwn);
    const step = await performStep(spec, scene);
    return { step, findings: step.findings };
  }

  function sceneWith(used: TestedServer): Scene {
    const { timeout: timeoutMs } = suite.document;
    const { signal, validatorOf, figures } = parts;
    const tools = () => keeper.tools(used);
    const snapshots = parts.snapshotsOf(item.id);
    return {
      suite,
      server: used,
      testName: item.id,
      attempt,
      values,
      timeoutMs,
      signal,
      snapshots,
      tools,
      validatorOf,
      figures,
    };
  }

  async function runLoadCase(
    step: StepSpec,
    load: LoadSpec,
    scene: Scene,
    isApart: boolean,
  ): Promise<Partial<Attempt>> {
    const { runLoad } = await import('../load/load.js');
    const action = actionOf(step);
    try {
      const { method, params: written } = requestOf(step);
      const params = fill(written, scene);
      const expect = expectationsOf(step, scene);
      const tool = expect.output_schema ? await toolOf(step, { method, params }, scene) : undefined;
      const schemaTexts = suite.texts;
      const listed = step.list;
      let refusal: Exchange | undefined;
      const { report, findings } = await runLoad({
        spec: load,
        method,
        params,
        open: () => keeper.openOwn(client),
        server: () => keeper.get(),
        isShared: !isApart,
        async judge(exchange) {
          const found = await checkExpectations({ expect, exchange, action, listed, tool, schemaTexts });
          if (found.length > 0) refusal ??= exchange;
          return found;
        },
        timeoutMs: step.timeout ?? scene.timeoutMs,
        signal: scene.signal,
      });
      const request = { method, params };
      return {
        load: report,
        findings: refusal ? await explained(findings, refusal, step, request, scene) : findings,
      };
    } catch (error) {
      if (!(error instanceof UnknownValue)) throw error;
      return { findings: [{ kind: 'value', message: error.message }] };
    }
  }
}

/** Steps one after another; the first that fails ends them before a case, and does not after it. */
export async function runSteps(
  kind: 'setup' | 'teardown',
  steps: readonly StepSpec[],
  scene: Scene,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, step] of steps.entries()) {
    const { findings: found } = await performStep(step, { ...scene, snapshots: undefined });
    const name = step.name ?? `step ${index + 1}`;
    findings.push(...found.map((finding) => ({ ...finding, kind, message: `${kind}, ${name}: ${finding.message}` })));
    if (kind === 'setup' && findings.length > 0) break;
  }
  return findings;
}

/** What the server wrote meanwhile: the rest is about other cases. How it came to its end may begin before. */
async function wordsOf(server: TestedServer, before: number): Promise<readonly string[]> {
  // An answer may be read before what was written ahead of it to another stream.
  await new Promise(setImmediate);
  return server.lastWords(server.isOver ? 0 : before);
}
