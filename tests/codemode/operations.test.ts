import { describe, expect, it, onTestFinished } from 'vitest';
import type { Approve } from '../../src/codemode/code-execution.js';
import { createOperations } from '../../src/codemode/operations.js';
import { type CodeSettingsInput, codeSettingFamily } from '../../src/codemode/settings.js';
import { openWorkspace } from '../../src/codemode/workspace.js';
import { createLog } from '../../src/log.js';
import { createFolder } from '../interpreter/scripts.js';
import { fakeRunner, fakeSource } from './fakes.js';

const safeTools = ['list', 'query'].map((tool) => ({ server: 'sql', tool }));

describe('discoverSchemas', () => {
  it.each<[string, CodeSettingsInput, readonly string[]]>([
    ['forbidden', { denyTools: ['sql/query'] }, ['list']],
    ['not among those that are allowed', { allowTools: ['sql/list'] }, ['list']],
    ['to be asked for, where nobody can be asked', { askTools: ['sql/query'] }, ['list']],
    ['not known to change nothing', { readOnly: true }, ['list']],
    ['of no rule', {}, ['list', 'query']],
  ])('calls no tool that is %s, though it was marked as safe', async (_what, settings, called) => {
    const { code, source } = await open(settings);
    const { tools } = await code.discoverSchemas({ safeTools });
    expect(source.calls.map(({ tool }) => tool)).toEqual(called);
    const { origin, reason = '' } = tools.find(({ tool }) => tool === 'query') ?? {};
    expect([origin, reason.includes('may not be called')]).toEqual(
      called.includes('query') ? ['inferred', false] : ['none', true],
    );
  });

  it('asks the person about each call of a tool that is to be asked for', async () => {
    const asked: string[] = [];
    const approve: Approve = async ({ tool }) => {
      asked.push(tool);
      return true;
    };
    const { code, source } = await open({ askTools: ['sql/query'] }, approve);
    await code.discoverSchemas({ safeTools });
    expect(asked).toEqual(['query']);
    expect(source.calls).toHaveLength(2);
  });
});

describe('executeScript', () => {
  it('tells of changed tools until wrappers were generated of them, by whatever process', async () => {
    const folder = await createFolder();
    const { code, source } = await open({ runsPerMinute: 10_000 }, undefined, folder);
    await code.generateWrappers();
    source.change('sql', { tools: { list: { description: 'Lists and pays.' } } });
    const isTold = async () => (await code.executeScript({ script: 'calls list' })).warnings.length > 0;
    await until(isTold);
    const other = await open({}, undefined, folder);
    other.source.change('sql', { tools: { list: { description: 'Lists and pays.' } } });
    await other.code.generateWrappers({ acceptChanges: true });
    await until(async () => !(await isTold()));
    expect(await isTold()).toBe(false);
  });
});

async function open(settings: CodeSettingsInput, approve?: Approve, folder?: string) {
  const source = fakeSource({ sql: { tools: { list: { annotations: { readOnlyHint: true } }, query: {} } } });
  const code = await createOperations({
    configs: [],
    source,
    runner: async () => fakeRunner(({ ask }) => ask('call_tool', { server: 'sql', tool: 'list' })),
    workspace: await openWorkspace(folder ?? (await createFolder())),
    settings: codeSettingFamily.parse(settings),
    approve,
    log: createLog({ level: 'silent' }),
  });
  onTestFinished(() => code.close());
  return { code, source };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100 && !(await isSo()); tries += 1) await new Promise(setImmediate);
}
