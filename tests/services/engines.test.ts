import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { createEngines, settingsOfService } from '../../src/services/engines.js';

const general = parseSettings({});

describe('an engine that services share', () => {
  it('is one for the same settings, and closed when the last of them gives it back', async () => {
    const engines = createEngines(createLog({ level: 'silent' }));
    const one = engines.share(general);
    const two = engines.share({ ...general });
    const engine = await one.get();
    expect(await two.get()).toBe(engine);
    await one.release();
    await one.release();
    await expect(engine.probe()).resolves.toBeUndefined();
    await two.release();
    await expect(engine.probe()).rejects.toMatchObject({ code: 'CLOSED' });
    const anew = engines.share(general);
    expect(await anew.get()).not.toBe(engine);
    await engines.close();
  });

  it('is another one for other settings', async () => {
    const engines = createEngines(createLog({ level: 'silent' }));
    const [one, two] = [engines.share(general), engines.share({ ...general, timeoutMs: 5 })];
    expect(await one.get()).not.toBe(await two.get());
    await engines.close();
  });
});

describe('an uploaded service', () => {
  it('is strict, builds no packages, and has nothing of what is allowed to others', () => {
    const generous = parseSettings({
      installPackages: 'builds',
      isolation: 'shared',
      profile: 'trusted',
      allowAll: true,
      allowNet: true,
      allowRun: true,
      allowRead: ['/'],
      allowWrite: ['/'],
      allowEnv: ['HOME'],
    });
    const settings = settingsOfService(generous, { timeoutMs: 5000 }, true);
    expect(settings).toMatchObject({
      profile: 'strict',
      installPackages: 'wheels',
      isolation: 'call',
      allowAll: false,
      allowNet: false,
      allowRun: false,
      timeoutMs: 5000,
    });
    for (const name of ['allowRead', 'allowWrite', 'allowEnv']) expect(settings).not.toHaveProperty(name);
    expect(settingsOfService(generous, undefined, false)).toEqual(generous);
  });
});
