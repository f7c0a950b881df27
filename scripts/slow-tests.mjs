/** Tests that take long for what a person waits for; the long tier runs them. */
export const slowTests = [
  'tests/cli/serve-warm.test.ts',
  'tests/codemode/wrappers/type-checkers.test.ts',
  'tests/examples.test.ts',
  'tests/gateway-page.test.ts',
  'tests/interpreter/environment.test.ts',
  'tests/manifest/everything.test.ts',
  'tests/server/export/export.test.ts',
  'tests/wrapper-page.test.ts',
];
