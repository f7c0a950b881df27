import { describe, expect, it, onTestFinished } from 'vitest';
import { CallerError, HostError, ScriptError } from '../../../src/errors.js';
import { createPipeline } from '../../../src/gateway/calls/pipeline.js';
import { createServices } from '../../../src/gateway/registry/services.js';
import type { OpenedService, ServiceDefinition, ServiceToolbox } from '../../../src/gateway/service.js';
import { type GatewaySettingsInput, gatewaySettingsSchema } from '../../../src/gateway/settings.js';
import { createLog } from '../../../src/log.js';
import type { JsonObject, Toolbox } from '../../../src/toolbox.js';
import { until } from '../../engine/processes.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { everybody, noMetrics } from '../harness.js';

const options = { principal: everybody, transport: 'rest' } as const;

describe('a service', () => {
  it('is ready once a check has passed, and not before', async () => {
    const probe = createGate();
    const { services, opening } = createAll();
    opening.set('a', () => opened({ toolbox: { probe: () => probe.passed } }));
    const service = await services.add(definition('a'));
    expect(service.state).toBe('starting');
    probe.open();
    await until(() => service.state === 'ready');
    expect(service.probeMs).toBeTypeOf('number');
  });

  it('fails with the reason that its check gives, and is ready again when a check passes', async () => {
    let problem: Error | undefined = new HostError('SPAWN_FAILED', 'No process could be started');
    const { services, opening } = createAll({ probeMs: 20 });
    const probe = async () => {
      if (problem) throw problem;
    };
    opening.set('a', () => opened({ toolbox: { probe } }));
    const service = await services.add(definition('a'));
    await until(() => service.state === 'failing');
    expect(service.reason).toBe('SPAWN_FAILED: No process could be started');
    problem = undefined;
    await until(() => service.state === 'ready');
    expect(service.reason).toBeUndefined();
  });

  it('whose check never ends keeps no other from being checked', async () => {
    const { services, opening } = createAll({ probeMs: 20 });
    let checks = 0;
    const probe = async () => void checks++;
    for (const id of ['a', 'b', 'c'])
      opening.set(id, () => opened({ toolbox: { probe: () => new Promise(() => {}) } }));
    opening.set('d', () => opened({ toolbox: { probe } }));
    for (const id of ['a', 'b', 'c', 'd']) await services.add(definition(id));
    await until(() => checks >= 3);
    expect(services.get('d').state).toBe('ready');
  });

  it('that is replaced while it is checked is not said to fail', async () => {
    const { services, opening, logged } = createAll();
    const first = createGate();
    opening.set('a', () =>
      opened({ toolbox: { probe: () => first.passed.then(() => Promise.reject(new HostError('CLOSED', 'closed'))) } }),
    );
    await services.add(definition('a'));
    opening.set('a', () => opened({}));
    const service = await services.replace(definition('a'));
    first.open();
    await until(() => service.state === 'ready');
    await new Promise(setImmediate);
    expect(logged.join()).not.toContain('fails its check');
  });

  it('of which a check tells nothing that may be read says only that it failed', async () => {
    const { services, opening } = createAll();
    opening.set('a', () => opened({ toolbox: { probe: () => Promise.reject(new Error('/root/secret')) } }));
    const service = await services.add(definition('a'));
    await until(() => service.state === 'failing');
    expect(service.reason).toBe('The check failed unexpectedly');
  });

  it('stands in the list where it was asked for, however long it took to open', async () => {
    const { services, opening } = createAll();
    const first = createGate();
    opening.set('a', () => first.passed.then(() => opened()));
    const adding = services.add(definition('a'));
    await services.add(definition('b'));
    first.open();
    await adding;
    expect(services.list().map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('cannot be opened any more when all were closed', async () => {
    const { services } = createAll();
    await services.close();
    await expect(services.add(definition('a'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(services.addOrFail(definition('a'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(services.list()).toEqual([]);
  });

  it('of an id that is taken is refused, also while the first is being opened', async () => {
    const { services } = createAll();
    const both = await Promise.allSettled([services.add(definition('a')), services.add(definition('a'))]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(services.add(definition('a'))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it.each(['', '.', '../up', 'a/b', 'ä', '-a', 'a'.repeat(65), 'a b', 'a\n'])('cannot have the id %j', async (id) => {
    const { services } = createAll();
    await expect(services.add(definition(id))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('that is not there is named, with the one that may be meant', async () => {
    const { services } = createAll();
    await services.add(definition('weather'));
    expect(() => services.get('wether')).toThrow(/There is no service "wether" \(did you mean weather\?\)/);
  });

  it('that cannot be opened is not there after add, and says why after addOrFail', async () => {
    const { services, opening } = createAll();
    const broken = new ScriptError('SYNTAX_ERROR', 'line 3: invalid syntax');
    opening.set('a', () => Promise.reject(broken));
    await expect(services.add(definition('a'))).rejects.toBe(broken);
    expect(services.has('a')).toBe(false);
    const service = await services.addOrFail(definition('a'));
    expect(service).toMatchObject({ state: 'failing', reason: 'SYNTAX_ERROR: line 3: invalid syntax' });
    await expect(service.toolbox.listTools()).rejects.toBe(broken);
  });

  it('that could not be opened is opened by a restart once it is mended', async () => {
    const { services, opening } = createAll();
    opening.set('a', () => Promise.reject(new ScriptError('SYNTAX_ERROR', 'broken')));
    const service = await services.addOrFail(definition('a'));
    opening.set('a', () => opened());
    await services.restart('a');
    await until(() => service.state === 'ready');
  });
});

describe('a service that is replaced', () => {
  it('serves the new version at once, while calls under way finish on the old one, which is then closed', async () => {
    const gate = createGate();
    const closed: string[] = [];
    const { services, opening } = createAll();
    opening.set('a', () => versionSaying('old', gate.passed, closed));
    const service = await services.add(definition('a'));
    const slow = service.toolbox.call('say', {}, options);
    opening.set('a', () => versionSaying('new', Promise.resolve(), closed));
    await services.replace(definition('a'));
    expect(await service.toolbox.call('say', {}, options)).toMatchObject(text('new'));
    expect(closed).toEqual([]);
    gate.open();
    expect(await slow).toMatchObject(text('old'));
    await until(() => closed.length === 1);
    expect(closed).toEqual(['old']);
  });

  it('stays as it was where the new version cannot be opened', async () => {
    const { services, opening } = createAll();
    opening.set('a', () => versionSaying('old', Promise.resolve(), []));
    const service = await services.add(definition('a'));
    opening.set('a', () => Promise.reject(new CallerError('INVALID_SCRIPT', 'empty')));
    await expect(services.replace(definition('a'))).rejects.toMatchObject({ code: 'INVALID_SCRIPT' });
    expect(await service.toolbox.call('say', {}, options)).toMatchObject(text('old'));
  });

  it('tells who listens', async () => {
    const told: string[] = [];
    const { services } = createAll();
    const stop = services.onChange((id) => told.push(id));
    await services.add(definition('a'));
    await services.replace(definition('a'));
    await services.remove('a');
    stop();
    await services.add(definition('a'));
    expect(told).toEqual(['a', 'a', 'a']);
  });
});

describe('a service that is drained', () => {
  it('refuses new calls, finishes those under way, and takes calls again when it is resumed', async () => {
    const gate = createGate();
    const { services, opening } = createAll();
    opening.set('a', () => versionSaying('done', gate.passed, []));
    const service = await services.add(definition('a'));
    const underWay = service.toolbox.call('say', {}, options);
    const drained = services.drain('a');
    await expect(service.toolbox.call('say', {}, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(service.state).toBe('draining');
    gate.open();
    await drained;
    expect(await underWay).toMatchObject(text('done'));
    services.resume('a');
    expect(await service.toolbox.call('say', {}, options)).toMatchObject(text('done'));
  });

  it('waits no longer than drainMs, and removing it then ends what is left', async () => {
    const closed: string[] = [];
    const { services, opening } = createAll({ drainMs: 30 });
    opening.set('a', () => versionSaying('never', new Promise(() => {}), closed));
    const service = await services.add(definition('a'));
    const endless = service.toolbox.call('say', {}, options);
    endless.catch(() => {});
    await services.remove('a');
    expect(closed).toEqual(['never']);
    expect(services.has('a')).toBe(false);
    await expect(endless).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

function createAll(input: GatewaySettingsInput = {}) {
  const settings = gatewaySettingsSchema.parse(input);
  const logged: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  const pipeline = createPipeline({
    settings: () => settings,
    concurrency: () => 8,
    queueLength: () => 100,
    metrics: noMetrics,
    log,
  });
  const opening = new Map<string, () => Promise<OpenedService>>();
  const open = ({ id }: ServiceDefinition) => (opening.get(id) ?? opened)();
  const services = createServices({ open, pipeline, settings: () => settings, log });
  onTestFinished(async () => {
    pipeline.closeAll();
    await services.close();
  });
  return { services, opening, logged };
}

function definition(id: string): ServiceDefinition {
  return { id, source: { kind: 'script', targets: [`/${id}.py`] } };
}

function versionSaying(word: string, when: Promise<unknown>, closed: string[]): Promise<OpenedService> {
  const say = (_args: JsonObject) => when.then(() => text(word));
  const close = async () => void closed.push(word);
  return opened({ toolbox: { close }, tools: new FakeToolbox({ say }), version: word });
}

interface Opening {
  readonly toolbox?: Partial<ServiceToolbox>;
  readonly tools?: Toolbox;
  readonly version?: string;
}

async function opened({ toolbox, tools = new FakeToolbox(), version = '1' }: Opening = {}): Promise<OpenedService> {
  const done = async () => {};
  return {
    version,
    keepsState: false,
    notes: [],
    toolbox: {
      listTools: () => tools.listTools(),
      call: (name, args, given) => tools.call(name, args, given),
      warm: done,
      probe: done,
      restart: done,
      recycle: done,
      endSession: done,
      close: done,
      status: () => ({ idle: 0, busy: 0, starts: 0, crashes: 0 }),
      onToolsChanged: () => () => {},
      ...toolbox,
    },
  };
}

function createGate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
