import { expect, it } from 'vitest';
import { errorTable } from '../src/errors.js';
import * as library from '../src/index.js';

it('the library exports these values', () => {
  expect(Object.keys(library).sort()).toEqual([
    'CallerError',
    'ExecutionError',
    'HostError',
    'LimitError',
    'PythonEngine',
    'ScriptError',
    'createEngine',
    'createError',
    'createScriptToolbox',
    'discover',
    'environmentName',
    'errorTable',
    'findPython',
    'flagName',
    'isErrorCode',
    'limitNames',
    'logLevels',
    'lowerLimits',
    'manifestSchema',
    'parseSettings',
    'readManifest',
    'serveStdio',
    'settingNames',
    'settingsFromEnvironment',
    'settingsSchema',
    'writeManifest',
  ]);
});

it('the error codes are these, with these exit codes', () => {
  expect(Object.fromEntries(Object.entries(errorTable).map(([code, row]) => [code, row.exitCode]))).toEqual({
    UNKNOWN_TOOL: 2,
    INVALID_ARGUMENTS: 2,
    INVALID_SCRIPT: 2,
    INVALID_CONTEXT: 2,
    INVALID_SETTING: 2,
    INVALID_MANIFEST: 2,
    INVALID_CONFIG: 2,
    SYNTAX_ERROR: 1,
    IMPORT_ERROR: 1,
    EXCEPTION: 1,
    BAD_RESULT: 1,
    RESULT_MISMATCH: 1,
    PERMISSION_DENIED: 1,
    PROCESS_FAILED: 1,
    TIMEOUT: 1,
    IMPORT_TIMEOUT: 1,
    CPU_LIMIT: 1,
    MEMORY_LIMIT: 1,
    DISK_LIMIT: 1,
    OUTPUT_LIMIT: 1,
    RESULT_LIMIT: 1,
    CANCELLED: 130,
    PYTHON_NOT_FOUND: 3,
    DEPENDENCIES_FAILED: 3,
    SANDBOX_UNAVAILABLE: 3,
    SPAWN_FAILED: 3,
    WIRE_BROKEN: 1,
    QUEUE_FULL: 1,
    CIRCUIT_OPEN: 1,
    CLOSED: 1,
  });
});
