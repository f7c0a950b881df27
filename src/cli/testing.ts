/** The work of the verb `test`: one file of the package, so that no other verb has to read it. */
export { initSuite } from './test-drafting.js';
export { recordSuite } from './test-recording.js';
export { runTests } from './test-run.js';
