import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../interpreter/scripts.js';
import { quietCode, sayWithCode } from './fake-code.js';

const logging = ({ log }: { log: { warn(event: string, fields?: object): void; error(event: string): void } }) => ({
  searchTools: async () => {
    log.warn('The server a is in two files; the first counts');
    log.warn('an MCP server failed', { server: 'b' });
    log.error('something broke');
    return await quietCode.searchTools();
  },
});

describe('the log of a verb of code execution', () => {
  it('shows errors, and of warnings the sentences alone, because the verb tells the rest', async () => {
    const lines = (await sayWithCode(['list-tools'], logging)).stderr.split('\n');
    expect(lines).toEqual([
      'The server a is in two files; the first counts',
      expect.stringContaining('something broke'),
      '',
    ]);
  });

  it('shows everything where a level was asked for', async () => {
    for (const scene of [{}, { environment: { MCP_EXECUTION_LOG_LEVEL: 'warn' } }]) {
      const words = ['list-tools', ...('environment' in scene ? [] : ['--log-level', 'warn'])];
      const { stderr } = await sayWithCode(words, logging, scene);
      expect(
        stderr
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).level),
      ).toEqual(['warn', 'warn', 'error']);
    }
  });

  it('has everything in its file', async () => {
    const file = join(await createFolder(), 'log');
    await sayWithCode(['list-tools', '--log-file', file], logging);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3);
  });

  it('names each server that is started, at level info', async () => {
    const code = ({ onServerStart }: { onServerStart?: (server: string) => void }) => ({
      searchTools: async () => {
        onServerStart?.('github');
        return await quietCode.searchTools();
      },
    });
    const { stderr } = await sayWithCode(['list-tools', '--log-level', 'info'], code);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'info', server: 'github' });
  });
});
