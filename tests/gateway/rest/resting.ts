import { registerRest } from '../../../src/gateway/rest/rest.js';
import type { FakeToolbox } from '../../server/fake-toolbox.js';
import { startApp, type TestApp, type TestAppOptions } from '../harness.js';

/** One service called demo, for programs that know nothing of MCP. */
export function startRest(toolbox: FakeToolbox, options: TestAppOptions = {}): Promise<TestApp> {
  return startApp([registerRest], { services: { demo: toolbox }, ...options });
}

export function post(url: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  if (body === undefined) return fetch(url, { method: 'POST', headers });
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}
