import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSuite } from '../../src/services/run-suite.js';
import { folderWith } from '../engine/harness.js';

const head = 'version: 1\nserver: {command: node}\ncases:\n';

describe('a suite that is wrong is refused before anything is started, with file, line and column:', () => {
  it.each([
    ['YAML that is none', 'version: 1\ncases: [\n', /suite\.yaml, line 3, column 1: a bracket or brace .* not closed/],
    ['an unknown key', 'version: 1\nserver: {command: node}\ncase: []\n', /line 3, column 1: .*did you mean cases\?/],
    [
      'cases that wait for each other',
      `${head}  - {name: a, list: tools, depends_on: b}\n  - {name: b, list: tools, depends_on: a}\n`,
      /line 4, column \d+: .*a.*b/,
    ],
    [
      'a validator of answers under load',
      `${head}  - {name: a, tool: b, load: {count: 1}, validate: pass}\n`,
      /line 4, column \d+: .*validate.* does not go with load/,
    ],
  ])('%s', async (_what, text, message) => {
    const file = join(folderWith({ 'suite.yaml': text }), 'suite.yaml');
    await expect(runSuite(file)).rejects.toMatchObject({
      code: 'INVALID_SUITE',
      message: expect.stringMatching(message),
    });
  });
});
