import { describe, expect, it } from 'vitest';
import { type FakeScript, FakeServer, fakeTool, result, rpcError } from '../fakes.js';
import { runFake } from './harness.js';

const everything = {
  tools: [fakeTool('echo'), fakeTool('add')],
  introduction: { capabilities: { tools: {}, prompts: {}, resources: {} } },
  call: (name: string) => (name === 'echo' ? result({ content: [] }) : rpcError(-32602, `Tool ${name} not found`)),
  request: (method: string) => {
    if (method === 'prompts/list') return result({ prompts: [{ name: 'greet' }] });
    if (method === 'resources/list') return result({ resources: [{ uri: 'notes://first' }] });
    if (method === 'resources/templates/list') return result({ resourceTemplates: [] });
    return method === 'tools/list' ? undefined : rpcError(-32602, 'not found');
  },
} satisfies FakeScript;

type Cases = NonNullable<Parameters<typeof runFake>[0]['cases']>;

async function run(cases: Cases, script: FakeScript = everything) {
  const server = new FakeServer(script);
  const ran = await runFake({ cases }, async () => server);
  return { ...ran, methods: server.requests.map(({ method }) => method) };
}

describe('A call that the server refuses', () => {
  it.each([
    ['tool', { tool: 'ech' }, 'The server has no tool ech. Did you mean echo?'],
    ['tool by a value', { tool: '{{ which }}', each: [{ which: 'ech' }] }, 'The server has no tool ech.'],
    ['tool under load', { tool: 'ech', load: { clients: 1, count: 1 } }, 'The server has no tool ech.'],
    ['tool in a step', { tool: 'echo', setup: [{ tool: 'ech' }] }, 'The server has no tool ech.'],
    ['prompt', { prompt: 'gret' }, 'The server has no prompt gret. Did you mean greet?'],
    [
      'resource',
      { resource: 'notes://frist' },
      'The server has no resource "notes://frist". Did you mean "notes://first"?',
    ],
  ])('says so where there is no such %s', async (_what, spec, said) => {
    const { report } = await run([{ name: 'calls', ...spec }]);
    const [finding] = report.suites[0]?.cases[0]?.findings ?? [];
    expect(finding?.message).toContain(said);
  });

  it('is told as it is where the server lists what was called', async () => {
    const { findingsOf } = await run([{ name: 'calls', tool: 'add' }]);
    expect(findingsOf('calls')).toEqual([expect.not.stringContaining('has no tool')]);
  });

  it('of a resource is told as it is where a template may be meant', async () => {
    const templates = result({ resourceTemplates: [{ uriTemplate: 'notes://{id}' }] });
    const request = (method: string) =>
      method === 'resources/templates/list' ? templates : everything.request(method);
    const { findingsOf } = await run([{ name: 'reads', resource: 'notes://7' }], { ...everything, request });
    expect(findingsOf('reads')).toEqual([expect.not.stringContaining('has no resource')]);
  });

  it('has no list asked for where that was expected', async () => {
    const { statuses, methods } = await run([{ name: 'calls', tool: 'ech', expect: { error: true } }]);
    expect(statuses).toEqual({ calls: 'passed' });
    expect(methods).toEqual(['tools/call']);
  });

  it('has a list asked for once where the server gives none', async () => {
    const cases = [1, 2, 3].map((number) => ({ name: `gets ${number}`, prompt: 'gret' }));
    const request = () => rpcError(-32603, 'not now');
    const { methods } = await run(cases, { ...everything, request });
    expect(methods.filter((method) => method === 'prompts/list')).toHaveLength(1);
  });
});
