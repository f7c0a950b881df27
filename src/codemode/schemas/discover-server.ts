import { nearest } from '../../nearest.js';
import { createQueue } from '../../queue/queue.js';
import type { JsonObject, Tool } from '../../toolbox.js';
import type { ToolSchemaReport } from '../code-execution.js';
import { definitionHash } from '../wrappers/definition.js';
import { cleanLine } from '../wrappers/foreign-text.js';
import { askForSamples } from './ask.js';
import type { Discovery } from './discover.js';
import { learn } from './learn.js';
import { everyTool, type Plan, planFor } from './plan.js';
import type { InferredSchema } from './schema-file.js';
import { uniqueTools } from './unique-tools.js';

export interface ServerFindings {
  readonly reports: readonly ToolSchemaReport[];
}

interface PlannedTool {
  readonly name: string;
  readonly definition: string;
  readonly plan: Plan;
  /** What was inferred of the tool as it is now. */
  readonly known?: InferredSchema;
  readonly hasChanged: boolean;
  readonly outputSchema: Tool['outputSchema'];
}

interface Finding {
  readonly report: ToolSchemaReport;
  readonly inferred?: InferredSchema;
}

const callsAtOnce = 4;
const maxCalls = 500;
const maxFailures = 3;
const defaultTimeoutMs = 60_000;

/** Calls the tools of one server that may be called, keeps what was learnt, and says of each tool what came of it. */
export async function discoverServer(
  discovery: Discovery,
  server: string,
  tools: readonly Tool[],
  tell: (message: string) => Promise<void>,
): Promise<ServerFindings> {
  const { store, options } = discovery;
  const shown = cleanLine(server, 60);
  const planned = withinBudget(planAll(discovery, server, tools));
  const called = planned.filter(({ plan }) => plan.kind === 'call').length;
  await tell(`${shown}: tools to call: ${called} of ${planned.length}`);

  const queue = createQueue({ concurrency: callsAtOnce, queueLength: planned.length });
  let failures = 0;
  const findings = await Promise.all(
    planned.map((tool) => {
      const { plan } = tool;
      return plan.kind === 'call'
        ? queue.run(() => learnOf(tool, plan.arguments), { signal: options.signal })
        : notCalled(server, tool);
    }),
  );
  const inferred = findings.flatMap((finding) => finding.inferred ?? []);
  if (inferred.length > 0 || store.inferred(server).size > 0) await store.save(server, inferred);
  await tell(`${shown}: tools with an inferred schema: ${inferred.length}`);
  return { reports: [...findings.map(({ report }) => report), ...unknownTools(discovery, server, tools)] };

  async function learnOf(tool: PlannedTool, samples: readonly JsonObject[]): Promise<Finding> {
    if (failures >= maxFailures) return unlearnt(server, tool, 'The server failed too often, so it was not called.');
    const { signal } = options;
    const asked = await askForSamples(
      (args, ended) => discovery.call(server, tool.name, args, { signal: ended }),
      samples,
      { timeoutMs: discovery.callTimeoutMs ?? defaultTimeoutMs, signal },
    );
    if (asked.isServerFailing) failures += 1;
    if (asked.answers.length === 0) return unlearnt(server, tool, asked.failure);
    const learnt = learn({ tool: tool.name, definition: tool.definition }, asked.answers, tool.known);
    const { inferred: latest, drift } = learnt;
    return {
      inferred: latest,
      report: {
        ...inferredReport(server, latest),
        ...(asked.failure !== undefined && { reason: asked.failure }),
        ...(drift !== undefined && { drift }),
      },
    };
  }
}

function planAll(discovery: Discovery, server: string, tools: readonly Tool[]): readonly PlannedTool[] {
  const { store, options, pinnedTool } = discovery;
  const inferred = store.inferred(server);
  return uniqueTools(tools).map((tool) => {
    const { name, outputSchema } = tool;
    const definition = definitionHash(tool);
    const earlier = inferred.get(name);
    const hasChanged = earlier !== undefined && earlier.definition !== definition;
    const plan = planFor(server, tool, options, pinnedTool?.(server, name));
    return { name, definition, plan, outputSchema, hasChanged, ...(earlier && !hasChanged && { known: earlier }) };
  });
}

function withinBudget(planned: readonly PlannedTool[]): readonly PlannedTool[] {
  const reason = `The tools of this server would take more than ${maxCalls} calls. Mark fewer of them as safe at once.`;
  let calls = 0;
  return planned.map((tool) => {
    calls += tool.plan.kind === 'call' ? tool.plan.arguments.length : 0;
    return calls > maxCalls && tool.plan.kind === 'call' ? { ...tool, plan: { kind: 'leave', reason } } : tool;
  });
}

function notCalled(server: string, tool: PlannedTool): Finding {
  const { name, plan, outputSchema } = tool;
  if (plan.kind === 'declared') {
    return { report: { server, tool: name, origin: 'declared', samples: 0, schema: outputSchema } };
  }
  if (tool.known) return { inferred: tool.known, report: inferredReport(server, tool.known) };
  return unlearnt(server, tool, plan.kind === 'leave' ? plan.reason : undefined);
}

/** What was known stays. */
function unlearnt(server: string, { name, known, hasChanged }: PlannedTool, reason: string | undefined): Finding {
  if (known) return { inferred: known, report: { ...inferredReport(server, known), reason } };
  const words = [hasChanged ? 'It changed since its answers were learnt.' : undefined, reason];
  const whole = words.filter((word) => word !== undefined).join(' ');
  return { report: { server, tool: name, origin: 'none', samples: 0, reason: whole } };
}

function inferredReport(server: string, { tool, samples, schema }: InferredSchema): ToolSchemaReport {
  return { server, tool, origin: 'inferred', samples, schema };
}

function unknownTools({ options }: Discovery, server: string, tools: readonly Tool[]): readonly ToolSchemaReport[] {
  const names = tools.map(({ name }) => name);
  const wanted = options.safeTools?.filter((safe) => safe.server === server && safe.tool !== everyTool) ?? [];
  const unknown = [...new Set(wanted.map(({ tool }) => tool))].filter((tool) => !names.includes(tool));
  return unknown.map((tool) => {
    const close = nearest(tool, names);
    const reason = `The server has no such tool.${close === undefined ? '' : ` Did you mean ${cleanLine(close, 80)}?`}`;
    return { server, tool, origin: 'none', samples: 0, reason };
  });
}
