import type { TestedServer } from '../../testedserver.js';
import type { Tool } from '../../toolbox.js';
import { sendForAll } from './request.js';

export interface ToolListOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The server to ask where none is given, or that one is over. */
  readonly server: () => Promise<TestedServer>;
  /** Told once why it is not known what the tools say of their results. */
  readonly note: (message: string) => void;
}

const mostTries = 3;

/** The tools as a server lists them. It is asked once; again only where it was over before it had told. */
export function createToolList({ timeoutMs, signal, server, note }: ToolListOptions) {
  let listing: Promise<Listed> | undefined;
  let tries = 0;

  return async (given?: TestedServer): Promise<readonly Tool[]> => {
    listing ??= list(given);
    const asked = listing;
    const { tools, problem, isLost } = await asked;
    if (problem === undefined || listing !== asked || signal?.aborted) return tools;
    if (isLost && tries < mostTries) listing = undefined;
    else if (tries <= mostTries) {
      tries = mostTries + 1;
      note(`What tools return was not held against their outputSchema: tools/list gave ${problem}`);
    }
    return tools;
  };

  async function list(given: TestedServer | undefined): Promise<Listed> {
    tries += 1;
    const tools: readonly Tool[] = [];
    let asked: TestedServer;
    try {
      asked = given && !given.isOver ? given : await server();
    } catch (error) {
      return { tools, problem: error instanceof Error ? error.message : String(error), isLost: true };
    }
    if (asked.introduction.capabilities.tools === undefined) return { tools };
    const { outcome } = (await sendForAll(asked, 'tools', { timeoutMs, signal })).exchange;
    if (outcome.kind !== 'result') {
      const message = outcome.kind === 'error' ? outcome.error.message : outcome.message;
      return { tools, problem: `no list: ${message}`, isLost: asked.isOver };
    }
    const { tools: listed } = outcome.result;
    return Array.isArray(listed) ? { tools: listed.filter(isTool) } : { tools, problem: 'an answer without tools' };
  }
}

interface Listed {
  readonly tools: readonly Tool[];
  /** Why there are not more. */
  readonly problem?: string;
  /** Another try may do better. */
  readonly isLost?: boolean;
}

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
