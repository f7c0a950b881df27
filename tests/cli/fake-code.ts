import type { OpenCode } from '../../src/cli/terminal.js';
import type { CodeExecution, DescribedTool, ExecuteResult, ToolEntry } from '../../src/codemode/code-execution.js';
import type { OpenCodeOptions } from '../../src/services/code-execution.js';
import { resultOf, type Said, type Scene, say } from './fake.js';

export interface SaidWithCode extends Said {
  /** How code execution was opened, where it was. */
  readonly opened: OpenCodeOptions | undefined;
  readonly codeClosed: boolean;
}

type Make = Partial<CodeExecution> | ((options: OpenCodeOptions) => Partial<CodeExecution>);

/** Runs a command line against code execution that exists only in memory. */
export async function sayWithCode(words: readonly string[], code: Make = {}, scene: Scene = {}): Promise<SaidWithCode> {
  let opened: OpenCodeOptions | undefined;
  let codeClosed = false;
  const openCode: OpenCode = async (options) => {
    opened = options;
    return {
      ...quietCode,
      ...(typeof code === 'function' ? code(options) : code),
      close: async () => {
        codeClosed = true;
      },
    };
  };
  const said = await say(words, { openCode, ...scene });
  return { ...said, opened, codeClosed };
}

export const entry: ToolEntry = {
  server: 'github',
  tool: 'create_issue',
  summary: 'Makes an issue.',
  signature: 'create_issue(title: str) -> CreateIssueResult',
  import: 'from servers.github import create_issue',
};

export const described: DescribedTool = {
  server: 'github',
  tool: 'create_issue',
  description: 'Makes an issue.\n\nAnd tells its number.',
  signature: entry.signature,
  import: entry.import,
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
};

/** Two servers, of which nothing is asked. */
export const quietCode: CodeExecution = {
  servers: ['github', 'slack'],
  configs: [],
  warm: async () => {},
  workspace: '.',
  generateWrappers: async () => ({ folder: 'servers', servers: [], written: [], removed: [], unchanged: 0 }),
  discoverSchemas: async () => ({ tools: [], failures: [] }),
  executeScript: async () => runOf(),
  searchTools: async () => ({ tools: [entry], failures: [] }),
  describeTool: async () => described,
  callTool: async () => ({ content: [], isError: false }),
  attend: async () => ({ run: 'r', onAsk: async () => null, end: async () => {} }),
  savedScripts: async () => [],
  readOutput: async () => '',
  close: async () => undefined,
};

export function runOf(given: Partial<ExecuteResult> = {}): ExecuteResult {
  const { value, stdout, stderr, files, figures } = resultOf(null);
  return { run: 'r1', value, stdout, stderr, logs: [], files, figures, calls: [], cut: [], warnings: [], ...given };
}
