import type { Principal, Quotas } from '../../../src/gateway/access/principal.js';
import type { ServiceFacts } from '../../../src/gateway/calls/call.js';
import { createPipeline, type PipelineOptions, type ServedService } from '../../../src/gateway/calls/pipeline.js';
import type { CallFigures } from '../../../src/gateway/parts.js';
import type { GatewayCallOptions } from '../../../src/gateway/service.js';
import { type GatewaySettingsInput, gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { createLog } from '../../../src/log.js';
import type { CallEvent, JsonObject, ToolResult } from '../../../src/toolbox.js';
import { type FakeTool, FakeToolbox } from '../../server/fake-toolbox.js';

type Tools = ConstructorParameters<typeof FakeToolbox>[0];

/** A fake toolbox that tells when its list has changed. */
export class ServiceBox extends FakeToolbox {
  readonly #listeners = new Set<() => void>();
  lists = 0;

  override listTools() {
    this.lists += 1;
    return super.listTools();
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(name: string, tool: FakeTool): void {
    this.set(name, tool);
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}

export interface SceneOptions extends Partial<Omit<PipelineOptions, 'settings' | 'log' | 'metrics'>> {
  readonly settings?: GatewaySettingsInput;
}

/** A pipeline whose figures and log lines can be looked at. */
export function createScene({ settings = {}, ...options }: SceneOptions = {}) {
  const now = { settings: gatewaySettingsSchema.parse(settings) };
  const figures: CallFigures[] = [];
  const cached: string[] = [];
  const lines: JsonObject[] = [];
  const pipeline = createPipeline({
    concurrency: () => 8,
    queueLength: () => 100,
    ...options,
    settings: () => now.settings,
    metrics: { called: (each) => figures.push(each), cached: (service, status) => cached.push(`${service} ${status}`) },
    log: createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line)) }),
  });
  return {
    pipeline,
    figures,
    cached,
    lines,
    change: (input: GatewaySettingsInput) => {
      now.settings = gatewaySettingsSchema.parse({ ...settings, ...input });
    },
    serve(tools: Tools, facts: Partial<ServiceFacts> = {}) {
      const box = new ServiceBox(tools);
      const served = pipeline.serve({ id: 'notes', version: () => '1', usesSlots: true, ...facts }, box);
      return { box, served, call: caller(served) };
    },
  };
}

export type Asked = Partial<GatewayCallOptions> & { readonly args?: JsonObject };

function caller(served: ServedService) {
  return (tool: string, { args = {}, ...options }: Asked = {}): Promise<ToolResult> =>
    served.toolbox.call(tool, args, { principal: principal('ann'), transport: 'rest', ...options });
}

export function principal(id: string, quotas?: Quotas): Principal {
  return { id, name: `client ${id}`, scopes: new Set(['call']), ...(quotas && { quotas }) };
}

/** Work that is ended by hand, and counts how often it was begun. */
export function createWork() {
  const begun: { readonly finish: (result: ToolResult) => void; readonly fail: (error: unknown) => void }[] = [];
  const aborted: unknown[] = [];
  const emit: ((event: CallEvent) => unknown)[] = [];
  return {
    begun,
    aborted,
    emit,
    work: (_args: JsonObject, { signal, onEvent }: { signal?: AbortSignal; onEvent?: (event: CallEvent) => unknown }) =>
      new Promise<ToolResult>((finish, fail) => {
        begun.push({ finish, fail });
        emit.push((event) => onEvent?.(event));
        signal?.addEventListener('abort', () => {
          aborted.push(signal.reason);
          fail(new Error('aborted'));
        });
      }),
  };
}

export async function hops(count = 30): Promise<void> {
  for (let n = 0; n < count; n += 1) await null;
}

export function failure(code: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: 'text', text: code }], isError: true, code, ...more };
}
