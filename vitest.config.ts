import { defineConfig } from 'vitest/config';
import { slowTests } from './scripts/slow-tests.mjs';

const long = process.env.LONG === '1';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: long ? [] : ['tests/long/**', 'tests/load/**', ...slowTests],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/cli/mcp-exec.ts', 'src/cli/execution-server-start.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'coverage',
      reportOnFailure: true,
      thresholds: { lines: 90 },
    },
  },
});
