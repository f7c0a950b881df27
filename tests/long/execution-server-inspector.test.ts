import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { serverBin, setScene } from '../cli/execution-server-process.js';
import { processesLeft } from '../engine/harness.js';
import { inspector, inspectServer } from './inspector.js';
import { longMs } from './scale.js';

afterEach(() => {
  expect(processesLeft()).toEqual([]);
});

const isErrorExitCode = 5;

describe.runIf(inspector).each(['legacy', 'modern'])(
  "Inspector's command line on mcp-execution-server (%s era)",
  (era) => {
    it('lists three tools, with schemas that no client could stumble over', { timeout: longMs }, async () => {
      const { exitCode, stdout, stderr } = await inspect('--method', 'tools/list', '--strict');
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      const { tools } = JSON.parse(stdout) as { tools: readonly { name: string }[] };
      expect(tools.map(({ name }) => name)).toEqual(['generate_wrappers', 'discover_schemas', 'execute_script']);
    });

    it('generates wrappers', { timeout: longMs }, async () => {
      const { exitCode, stdout } = await call('generate_wrappers', 'servers=["numbers"]');
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { servers: [{ server: 'numbers', tools: 4 }] } });
    });

    it('runs a script that calls a tool, and gets its value', { timeout: longMs }, async () => {
      const script = 'from mcp_execution import call_tool, result; result(call_tool("numbers", "double", {"n": 21}))';
      const { exitCode, stdout } = await call('execute_script', `script=${script}`);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { value: '42', calls: [{ tool: 'double' }] } });
    });

    it('gets the traceback of a script that fails', { timeout: longMs }, async () => {
      const { exitCode, stdout } = await call('execute_script', 'script=print("before"); raise ValueError("no")');
      expect(exitCode).toBe(isErrorExitCode);
      expect(stdout).toContain('ValueError: no');
      expect(stdout).toContain('before');
    });

    it('is told which argument is wrong', { timeout: longMs }, async () => {
      const { exitCode, stdout } = await call('execute_script', 'script=1', 'limits={"timeoutMs": "soon"}');
      expect(exitCode).toBe(isErrorExitCode);
      expect(stdout).toContain('limits.timeoutMs: expected number');
    });

    function call(tool: string, ...args: readonly string[]) {
      return inspect('--method', 'tools/call', '--tool-name', tool, ...args.flatMap((pair) => ['--tool-arg', pair]));
    }

    /** By variables, because the Inspector has a --config of its own. */
    function inspect(...words: readonly string[]) {
      const { config, workspace, folder } = setScene();
      const variables = [
        `MCP_EXECUTION_CODE_CONFIG=${config}`,
        `MCP_EXECUTION_CODE_WORKSPACE=${workspace}`,
        `MCP_EXECUTION_CACHE_DIR=${join(folder, 'cache')}`,
      ].flatMap((variable) => ['-e', variable]);
      return inspectServer([process.execPath, serverBin], ['--protocol-era', era, ...variables, ...words]);
    }
  },
);
