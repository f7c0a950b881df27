/** The work of the verbs of code execution: one file of the package, so that no other verb has to read it. */
export { callServer } from './calling-server.js';
export { countRuns } from './counting-runs.js';
export { generate } from './generating.js';
export { learnSchemas } from './learning-schemas.js';
export { listTools } from './listing-tools.js';
export { login } from './logging-in.js';
export { run } from './running.js';
