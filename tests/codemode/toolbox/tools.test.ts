import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodeToolbox } from '../../../src/codemode/toolbox/toolbox.js';
import { codeTools } from '../../../src/codemode/toolbox/tools.js';
import { fakeCode } from './fake-code.js';

const charactersPerToken = 4;

describe('the tools of code execution', () => {
  it('are exactly three', async () => {
    const tools = await createCodeToolbox(fakeCode()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['generate_wrappers', 'discover_schemas', 'execute_script']);
  });

  it('cost an agent few tokens: about 500 that models read, about 650 with what only clients do', () => {
    const tools = codeTools(['github', 'slack', 'filesystem']);
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(read).length / charactersPerToken).toBeLessThan(550);
    expect(JSON.stringify(tools).length / charactersPerToken).toBeLessThan(660);
  });

  it('have schemas that are valid, and take nothing that they do not name', () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { inputSchema, outputSchema = {} } of codeTools([])) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      expect(ajv.validateSchema(outputSchema)).toBe(true);
      expect(ajv.compile(inputSchema)({ other: 1 })).toBe(false);
    }
  });

  it('tell how tools are found, imported, called, returned from and read on', () => {
    const { description } = toolNamed('execute_script', ['github']);
    for (const word of [
      'search_tools',
      'describe_tool',
      'from servers.',
      'call_tool',
      'print',
      'result',
      'ToolError',
      'read_output',
    ]) {
      expect(description).toContain(word);
    }
  });

  it('name the servers, on one line and in bounds whatever these are called', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 2000 }), { maxLength: 200 }), (servers) => {
        const { description = '' } = toolNamed('execute_script', servers);
        const [first = ''] = description.split('\n');
        expect(description.split('\n')).toHaveLength(5);
        expect(first.length).toBeLessThan(900);
        expect(first).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
    expect(toolNamed('execute_script', ['github', 'a b']).description).toContain('MCP servers github, "a b".');
    expect(toolNamed('execute_script', Array(100).fill('s')).description).toContain('and 60 more');
  });
});

function toolNamed(name: string, servers: readonly string[]) {
  const tool = codeTools(servers).find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool;
}
