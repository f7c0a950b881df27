import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askInterpreter } from '../../src/python/ask.js';
import { createFolder, writeExecutable, writePretender } from './scripts.js';

it('a command that hangs is given up, with what it started', async () => {
  const folder = await createFolder();
  const path = await writeExecutable(join(folder, 'hangs'), `(sleep 60; touch "${folder}/late") &`, 'wait');
  const answer = await askInterpreter({ path, args: [] }, process.env, 200);
  expect(answer).toEqual({ answered: false, problem: 'found, but it did not answer within 200 ms' });
  await expect(access(join(folder, 'late'))).rejects.toThrow();
});

it('a command that floods its output is given up', async () => {
  const folder = await createFolder();
  const path = await writeExecutable(join(folder, 'floods'), 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done');
  const answer = await askInterpreter({ path, args: [] }, process.env);
  expect(answer).toEqual({ answered: false, problem: 'found, but it flooded its output instead of answering' });
});

it('an answer is found among other output', async () => {
  const folder = await createFolder();
  const pretender = await writePretender(join(folder, 'pretender'), '3.12.0');
  const path = await writeExecutable(join(folder, 'chatty'), 'echo welcome', `"${pretender}"`, 'echo goodbye');
  expect(await askInterpreter({ path, args: [] }, process.env)).toMatchObject({ answered: true });
});

it('an answer without an executable is none', async () => {
  const folder = await createFolder();
  const path = await writeExecutable(join(folder, 'nameless'), `echo 'mcp-execution-interpreter:{"executable":""}'`);
  expect(await askInterpreter({ path, args: [] }, process.env)).toMatchObject({ answered: false });
});
