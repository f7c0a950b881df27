import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { serveTargets } from '../../src/cli/serving.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { parseSettings } from '../../src/config.js';
import { createFolder } from '../interpreter/scripts.js';
import { quietEngine } from './fake.js';

describe('a server that a person started by hand', () => {
  it('says what it waits for and what to do instead, and ends with its input', async () => {
    const script = join(await createFolder(), 'script.py');
    await writeFile(script, 'def first(): ...\n');
    let notes = '';
    const terminal = terminalOf(new AbortController().signal, (text) => {
      notes += text;
    });
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    input.end();
    expect(await serveTargets([script], {}, parseSettings(), terminal, { input, output })).toBe(0);
    expect(notes).toContain('Waiting for an MCP client on standard input');
    expect(notes).toContain(`mcp-exec install CLIENT ${script}`);
    expect(notes).toContain(`mcp-exec call ${script} TOOL`);
    expect(output.read()).toBeNull();
  });

  it('ends in silence by Ctrl-C while the scripts are still looked at', async () => {
    const script = join(await createFolder(), 'script.py');
    await writeFile(script, 'def first(): ...\n');
    let notes = '';
    const terminal = terminalOf(AbortSignal.abort(), (text) => {
      notes += text;
    });
    const streams = { input: new PassThrough(), output: new PassThrough() };
    expect(await serveTargets([script], {}, parseSettings(), terminal, streams)).toBe(130);
    expect(notes).toBe('');
  });
});

function terminalOf(interrupt: AbortSignal, note: (text: string) => void): Terminal {
  return {
    out: () => {},
    note,
    watched: true,
    colours: false,
    environment: process.env,
    interrupt,
    createEngine: async () => quietEngine,
  };
}
