import { describe, expect, it } from 'vitest';
import { registerOpenApi } from '../../../src/gateway/openapi/openapi.js';
import { registerRest } from '../../../src/gateway/rest/rest.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { startApp } from '../harness.js';
import { asObject, find, problemsOf } from './documents.js';

async function documentAt(path: string, toolbox = new FakeToolbox()): Promise<JsonObject> {
  const { url } = await startApp([registerOpenApi, registerRest], { services: { demo: toolbox } });
  const answer = await fetch(`${url}${path}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as JsonObject;
}

describe('the document of the gateway', () => {
  it('is whole: every reference leads somewhere, every operation has an id of its own', async () => {
    const document = await documentAt('/openapi.json');
    expect(document.openapi).toBe('3.1.0');
    expect(problemsOf(document)).toEqual([]);
  });

  it('has the addresses that the names of the product promise', async () => {
    const { paths } = await documentAt('/openapi.json');
    const known = Object.entries(asObject(paths)).flatMap(([path, methods]) =>
      Object.keys(asObject(methods)).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(known).toEqual(
      expect.arrayContaining([
        'POST /api/v1/mcp/{service}',
        'GET /api/v1/stream/{service}',
        'GET /api/v1/services',
        'POST /api/v1/services',
        'GET /api/v1/services/{service}',
        'GET /api/v1/services/{service}/health',
        'POST /api/v1/services/{service}/tools/{tool}',
        'GET /api/v1/services/{service}/export',
        'GET /health/live',
        'GET /health/ready',
        'GET /metrics',
        'POST /mcp',
      ]),
    );
  });
});

describe('the document of a service', () => {
  const point = { type: 'object', properties: { next: { $ref: '#/$defs/point' }, x: { type: 'number' } } };
  const toolbox = new FakeToolbox({
    'draw/it {now}': {
      title: 'Draw',
      description: 'Draws.',
      inputSchema: {
        type: 'object',
        required: ['at'],
        properties: { at: { $ref: '#/$defs/point' } },
        $defs: { point },
      },
      outputSchema: { type: 'object', properties: { length: { type: 'number' } } },
      work: () => text(''),
    },
    draw_it__now_: { work: () => text('') },
    Answer: { inputSchema: { type: 'object', properties: { $ref: { type: 'string' } } }, work: () => text('') },
    'half \ud800': { inputSchema: { $ref: '#/\ud800', '\ud800': {} }, work: () => text('') },
    broken: { inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } }, work: () => text('') },
  });

  it('has an address for each tool, with the forms of its arguments and its result', async () => {
    const document = await documentAt('/api/v1/services/demo/openapi.json', toolbox);
    expect(problemsOf(document)).toEqual([]);
    const paths = asObject(document.paths);
    expect(Object.keys(paths)).toEqual([
      '/api/v1/services/demo/tools/draw%2Fit%20%7Bnow%7D',
      '/api/v1/services/demo/tools/draw_it__now_',
      '/api/v1/services/demo/tools/Answer',
      '/api/v1/services/demo/tools/half%20%EF%BF%BD',
      '/api/v1/services/demo/tools/broken',
    ]);
    const operation = asObject(asObject(Object.values(paths)[0]).post);
    expect(operation).toMatchObject({ operationId: 'draw_it__now_', summary: 'Draw', description: 'Draws.' });
    const body = find(document, '#/components/schemas/draw_it__now_.arguments');
    expect(body).toMatchObject({
      properties: { at: { $ref: '#/components/schemas/draw_it__now_.arguments/$defs/point' } },
    });
    expect(find(document, '#/components/schemas/broken.arguments')).toEqual({ type: 'object', properties: { a: {} } });
    expect(find(document, '#/components/schemas/draw_it__now_.result')).toMatchObject({ type: 'object' });
  });

  it('names addresses that can be called as they stand', async () => {
    const { url } = await startApp([registerOpenApi, registerRest], { services: { demo: toolbox } });
    const document = (await (await fetch(`${url}/api/v1/services/demo/openapi.json`)).json()) as JsonObject;
    for (const path of Object.keys(asObject(document.paths)).filter((name) => !name.includes('half'))) {
      expect((await fetch(`${url}${path}`, { method: 'POST' })).status).toBe(200);
    }
  });
});
