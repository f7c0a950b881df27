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
    const terminal: Terminal = {
      out: () => {},
      note: (text) => {
        notes += text;
      },
      watched: true,
      colours: false,
      environment: process.env,
      interrupt: new AbortController().signal,
      createEngine: async () => quietEngine,
    };
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    input.end();
    expect(await serveTargets([script], {}, parseSettings(), terminal, { input, output })).toBe(0);
    expect(notes).toContain('Waiting for an MCP client on standard input');
    expect(notes).toContain(`mcp-exec install CLIENT ${script}`);
    expect(notes).toContain(`mcp-exec call ${script} TOOL`);
    expect(output.read()).toBeNull();
  });
});
