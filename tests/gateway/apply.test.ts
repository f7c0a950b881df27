import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceDefinition } from '../../src/gateway/service.js';
import { createLog } from '../../src/log.js';
import { createGateway } from '../../src/services/gateway.js';
import { fixture } from '../engine/harness.js';
import { createFolder } from '../interpreter/scripts.js';
import { callTool, listServices } from './gateway-process.js';

describe('a change of the configuration', () => {
  it('adds, exchanges and removes services while the gateway serves', async () => {
    const gateway = await startGateway();
    await gateway.apply({ services: [service('a', 'says_a_word.py'), service('b', 'echoes.py')] });
    expect(await listServices(gateway.url)).toEqual(['a', 'b']);
    await gateway.apply({ services: [service('a', 'echoes.py')] });
    expect(await listServices(gateway.url)).toEqual(['a']);
    const tools = await gateway.services.get('a').toolbox.listTools();
    expect(tools.map(({ name }) => name)).toContain('integers');
  });

  it('touches no uploaded service, whatever id it names', async () => {
    const gateway = await startGateway();
    const headers = { 'content-type': 'text/x-python' };
    const body = 'def whose() -> str:\n    return "uploaded"\n';
    await fetch(`${gateway.url}/api/v1/services?id=x`, { method: 'POST', headers, body });
    for (const services of [[service('x', 'says_a_word.py')], [service('x', 'echoes.py')], []]) {
      await gateway.apply({ services });
      expect((await callTool(gateway.url, 'x', 'whose', {})).body.structuredContent).toEqual({ result: 'uploaded' });
    }
  });

  it('that cannot be opened leaves the service as it was', async () => {
    const gateway = await startGateway();
    await gateway.apply({ services: [service('a', 'says_a_word.py')] });
    const before = await gateway.services.get('a').toolbox.listTools();
    await gateway.apply({ services: [service('a', 'has_a_syntax_error.py')] });
    expect(await gateway.services.get('a').toolbox.listTools()).toEqual(before);
  });
});

function service(id: string, script: string): ServiceDefinition {
  return { id, source: { kind: 'script', targets: [fixture(script)] } };
}

async function startGateway() {
  const data = join(await createFolder(), 'data');
  const gateway = await createGateway({ settings: { port: 0, data }, log: createLog({ level: 'silent' }) });
  onTestFinished(() => gateway.close());
  return gateway;
}
