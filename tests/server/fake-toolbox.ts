import { CallerError } from '../../src/errors.js';
import type { CallOptions, JsonObject, Tool, Toolbox, ToolResult } from '../../src/toolbox.js';

type Work = (args: JsonObject, options: CallOptions) => Promise<ToolResult> | ToolResult;

export interface FakeTool extends Partial<Tool> {
  readonly work: Work;
}

/** A toolbox in memory: what a server is tested on, without Python. */
export class FakeToolbox implements Toolbox {
  readonly calls: { readonly name: string; readonly args: JsonObject; readonly options: CallOptions }[] = [];
  readonly #tools = new Map<string, FakeTool>();

  constructor(tools: Readonly<Record<string, FakeTool | Work>> = {}) {
    for (const [name, tool] of Object.entries(tools)) this.set(name, tool);
  }

  set(name: string, tool: FakeTool | Work): void {
    this.#tools.set(name, typeof tool === 'function' ? { work: tool } : tool);
  }

  async listTools(): Promise<readonly Tool[]> {
    return [...this.#tools].map(([name, { work: _work, ...tool }]) => ({
      name,
      inputSchema: { type: 'object' },
      ...tool,
    }));
  }

  async call(name: string, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    this.calls.push({ name, args, options });
    const tool = this.#tools.get(name);
    if (!tool) throw new CallerError('UNKNOWN_TOOL', `There is no tool ${name}`);
    return tool.work(args, options);
  }

  async close(): Promise<void> {}
}

export function text(value: string): ToolResult {
  return { content: [{ type: 'text', text: value }] };
}

/** Never answers; resolves only in that it is cancelled. */
export function untilCancelled(onCancelled: () => void): Work {
  return (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        onCancelled();
        reject(new Error('cancelled'));
      });
    });
}
