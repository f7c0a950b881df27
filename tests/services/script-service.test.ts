import { expect, it, onTestFinished } from 'vitest';
import { parseSettings } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { createOpener } from '../../src/services/open.js';
import type { CallOptions } from '../../src/toolbox.js';
import { folderWith } from '../engine/harness.js';

const counter = `
n = 0

def bump() -> int:
    global n
    n += 1
    return n
`;

it('a script that keeps state shares it with no other client, where calls name no session', async () => {
  const folder = folderWith({ 'counter.py': counter });
  const settings = parseSettings({ isolation: 'session' });
  const opener = createOpener({ settings, log: createLog({ level: 'silent' }) });
  onTestFinished(() => opener.close());
  const { toolbox } = await opener.open({ id: 'counter', source: { kind: 'script', targets: [folder] } });
  onTestFinished(() => toolbox.close());
  const bump = async (options: CallOptions) => (await toolbox.call('bump', {}, options)).structuredContent?.result;
  const [ann, ben] = [{ caller: 'key:ann' }, { caller: 'key:ben' }];
  expect([await bump(ann), await bump(ann), await bump(ben), await bump(ann)]).toEqual([1, 2, 1, 3]);
  expect([await bump({ ...ann, session: 'own' }), await bump({ ...ann, session: 'own' })]).toEqual([1, 2]);
  await toolbox.endSession('own');
  expect([await bump({ ...ann, session: 'own' }), await bump(ann)]).toEqual([1, 4]);
});
