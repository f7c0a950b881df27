import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSuite, serveConformanceScripts, suites } from './conformance.js';
import { longMs } from './scale.js';

describe.runIf(suites.length > 0).each(suites)('the official conformance suite $version', (suite) => {
  it('finds nothing beyond what the baseline lists', { timeout: longMs }, async () => {
    const url = await serveConformanceScripts();
    const baseline = join(import.meta.dirname, `conformance-baseline-${suite.version}.yml`);
    const { exitCode, said } = await runSuite(suite, url, baseline);
    expect(exitCode, said).toBe(0);
  });
});
