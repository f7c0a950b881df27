import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../interpreter/scripts.js';
import { say } from './fake.js';

const environment = { PATH: process.env.PATH };

it.each([
  ['a flag of another form', ['test', '--url', 'http://x'], /^INVALID_ARGUMENTS: .* --help lists the flags\n$/],
  ['a suite that is not there', ['test', 'no-such-suite.yaml'], /^INVALID_SUITE: There is no suite [^\n]*\n$/],
  ['a server that was not named', ['test', 'init'], /^INVALID_ARGUMENTS: Name the server: [^\n]*\n$/],
])('of %s the message says all', async (_what, words, all) => {
  expect((await say(words, { environment })).stderr).toMatch(all);
});

it('a program that is not there is not to be tried again', async () => {
  const { stderr } = await say(['test', 'init', '--', 'no-such-program'], { environment });
  expect(stderr).toMatch(/^SERVER_FAILED: .*there is no such program; check its name and the PATH/);
  expect(stderr).not.toMatch(/Try again|The log has/);
});

it('a suite that is wrong at a place is to be mended there, by what the package holds', async () => {
  const suite = join(await createFolder(), 'suite.yaml');
  await writeFile(suite, 'version: 1\nserver: { command: node }\ncasez: []\n');
  const { stderr } = await say(['test', suite], { environment });
  expect(stderr).toMatch(/\nMend the file at the place that the message names; docs\/suite\.schema\.json [^\n]*\n$/);
});
