import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { addresses } from '../../../src/gateway/openapi/document.js';
import { createLog } from '../../../src/log.js';
import { folderWith } from '../../engine/harness.js';

/** What Fastify tells of each application that it makes. */
const channel = 'fastify.initialization';

/** The routes of a whole gateway, with the scope that each asks for. */
async function routesOfGateway(): Promise<string[]> {
  const routes: string[] = [];
  const collect = (message: unknown) => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }) => {
      for (const name of [method].flat()) routes.push(`${name} ${url} ${config?.scope ?? 'admin'}`);
    });
  };
  subscribe(channel, collect);
  const open = async () => Promise.reject(new Error('there are no services'));
  const gateway = await createGateway({
    settings: { port: 0, data: folderWith({}) },
    open,
    uploads: { explore: open, exportService: open },
    log: createLog({ level: 'silent' }),
  }).finally(() => unsubscribe(channel, collect));
  onTestFinished(() => gateway.close());
  return routes.filter((route) => !/^(HEAD|OPTIONS) /.test(route));
}

describe('every address of the gateway', () => {
  it('stands in its document with the scope that it asks for, and nothing else does', async () => {
    const documented = Object.values(addresses)
      .flat()
      .map(({ method, path, scope }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')} ${scope}`);
    const routes = (await routesOfGateway()).map((route) => route.replace('/*', '/:address'));
    expect(routes.sort()).toEqual(documented.sort());
  });
});
