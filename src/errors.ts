import type { CallRecord, RunFigures } from './toolbox.js';

/**
 * ExecutionError
 *  ├─ CallerError   what was asked for is wrong
 *  ├─ ScriptError   the script failed; shown whole
 *  ├─ LimitError    the work was ended from outside
 *  └─ HostError     this side failed; shown as code, sentence and reference
 */
export type Fault = 'caller' | 'script' | 'limit' | 'host';

interface ErrorRow {
  readonly fault: Fault;
  readonly httpStatus: number;
  /** `error` is a JSON-RPC error with that number, `isError` a tool result that the model may read and act on. */
  readonly mcp: { readonly outcome: 'error'; readonly code: number } | { readonly outcome: 'isError' };
  readonly exitCode: 1 | 2 | 3 | 130;
  readonly meaning: string;
  readonly advice: string;
}

const invalidParams = { outcome: 'error', code: -32602 } as const;
const internalError = { outcome: 'error', code: -32603 } as const;
const isError = { outcome: 'isError' } as const;

/** The one table: every code with its fault, HTTP status, MCP outcome, exit code and advice. */
export const errorTable = {
  UNKNOWN_TOOL: {
    fault: 'caller',
    httpStatus: 404,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'The script has no function of that name.',
    advice: 'Check the spelling; the message lists what there is.',
  },
  INVALID_ARGUMENTS: {
    fault: 'caller',
    httpStatus: 422,
    mcp: isError,
    exitCode: 2,
    meaning: 'An argument is missing, unknown or of the wrong type.',
    advice: 'Mend the argument that the message names; the schema of the tool says what it takes.',
  },
  INVALID_SCRIPT: {
    fault: 'caller',
    httpStatus: 422,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'The script is missing, a folder, empty, or not text in UTF-8.',
    advice: 'Give a Python file saved as UTF-8, or mend what the message names.',
  },
  INVALID_CONTEXT: {
    fault: 'caller',
    httpStatus: 422,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'The context cannot be said in JSON.',
    advice: 'Pass plain objects, arrays, strings, finite numbers, booleans and null.',
  },
  INVALID_SETTING: {
    fault: 'caller',
    httpStatus: 400,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'A setting is unknown, or its value is not allowed.',
    advice: 'Mend the setting that the message names; --help lists all of them.',
  },
  INVALID_MANIFEST: {
    fault: 'caller',
    httpStatus: 422,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'A manifest cannot be read, or does not have the form of one.',
    advice: 'Mend what the message names, or make it anew: mcp-exec discover SCRIPT --out manifest.json.',
  },
  INVALID_CONFIG: {
    fault: 'caller',
    httpStatus: 422,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'A configuration file cannot be read or written, or does not have the form of one.',
    advice: 'Mend the file at the place that the message names; nothing was changed.',
  },
  INVALID_SUITE: {
    fault: 'caller',
    httpStatus: 422,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'A suite of tests cannot be read, or does not have the form of one.',
    advice: 'Mend the file at the place that the message names; docs/suite.schema.json of the package has every key.',
  },
  INVALID_REQUEST: {
    fault: 'caller',
    httpStatus: 400,
    mcp: { outcome: 'error', code: -32600 },
    exitCode: 2,
    meaning: 'A request to the gateway does not have the form that the address takes.',
    advice: 'Mend what the message names; /openapi.json describes every address.',
  },
  UNKNOWN_SERVICE: {
    fault: 'caller',
    httpStatus: 404,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'The gateway has no service, stream, session or request of that name.',
    advice: 'GET /api/v1/services lists what there is.',
  },
  UNKNOWN_SERVER: {
    fault: 'caller',
    httpStatus: 404,
    mcp: isError,
    exitCode: 2,
    meaning: 'The config names no MCP server of that name, or it is disabled.',
    advice: 'Check the spelling; mcp-exec list-tools shows the servers that there are.',
  },
  INVALID_WORKSPACE: {
    fault: 'caller',
    httpStatus: 422,
    mcp: isError,
    exitCode: 2,
    meaning: 'The workspace is no folder, or cannot be written to.',
    advice: 'Name a folder that this user may write to with --workspace.',
  },
  LOGIN_REQUIRED: {
    fault: 'caller',
    httpStatus: 401,
    mcp: isError,
    exitCode: 2,
    meaning: 'An MCP server wants a person to log in first.',
    advice: 'Run mcp-exec login SERVER once; the login is kept for this user.',
  },
  NOT_AUTHENTICATED: {
    fault: 'caller',
    httpStatus: 401,
    mcp: invalidParams,
    exitCode: 2,
    meaning: 'The gateway asks for a key or token, and none that it knows was given.',
    advice: 'Send the header Authorization: Bearer KEY.',
  },
  NOT_ALLOWED: {
    fault: 'caller',
    httpStatus: 403,
    mcp: invalidParams,
    exitCode: 2,
    meaning:
      'The key or token does not permit this, the policy of code execution does not, or the request comes from a web page that may not ask.',
    advice: 'Ask whoever runs it to permit what the message names.',
  },
  CONFLICT: {
    fault: 'caller',
    httpStatus: 409,
    mcp: invalidParams,
    exitCode: 2,
    meaning:
      'The request contradicts what the gateway has: a service of the same id, or an Idempotency-Key used for other arguments.',
    advice: 'Choose another id or key; a service is replaced with PUT.',
  },
  TOO_LARGE: {
    fault: 'caller',
    httpStatus: 413,
    mcp: { outcome: 'error', code: -32600 },
    exitCode: 2,
    meaning: 'The body of the request, or what it unpacks to, is larger than the gateway takes.',
    advice: 'Send less; whoever runs the gateway may raise the limit that the message names.',
  },
  TOO_MANY_REQUESTS: {
    fault: 'caller',
    httpStatus: 429,
    mcp: internalError,
    exitCode: 2,
    meaning:
      'This client sends more than its share: requests per second, calls at once, connections, services or disk.',
    advice: 'Wait as long as the header Retry-After says, then try again.',
  },
  SYNTAX_ERROR: {
    fault: 'script',
    httpStatus: 422,
    mcp: isError,
    exitCode: 1,
    meaning: 'Python could not parse the script.',
    advice: 'Mend the line that the message shows.',
  },
  IMPORT_ERROR: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'A module could not be imported.',
    advice: 'Install the module into the environment of the script, or choose that environment with --python.',
  },
  EXCEPTION: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The script raised an exception.',
    advice: 'Read the traceback: its last line says what happened.',
  },
  BAD_RESULT: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The returned value has no JSON form.',
    advice: 'Return dicts, lists, strings, numbers, booleans, None, dataclasses or models.',
  },
  RESULT_MISMATCH: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The returned value does not fit the return annotation of the function.',
    advice: 'Mend the annotation or the value: the message shows both.',
  },
  PERMISSION_DENIED: {
    fault: 'script',
    httpStatus: 403,
    mcp: isError,
    exitCode: 1,
    meaning: 'The sandbox refused something that the script tried.',
    advice: 'If the script should be able to do that, allow it: the message names the permission.',
  },
  TOOL_FAILED: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'A tool of an MCP server answered that it failed.',
    advice: 'Read what it says; in a script, catch ToolError.',
  },
  PROCESS_FAILED: {
    fault: 'script',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The process of the call ended before it answered, or with an exit code other than 0.',
    advice: 'Look at the exit code or signal, and at the output written before it.',
  },
  TIMEOUT: {
    fault: 'limit',
    httpStatus: 504,
    mcp: isError,
    exitCode: 1,
    meaning: 'The call took longer than its time limit; its processes were ended.',
    advice: 'Do less in one call; whoever runs it may raise timeoutMs.',
  },
  IMPORT_TIMEOUT: {
    fault: 'limit',
    httpStatus: 504,
    mcp: isError,
    exitCode: 1,
    meaning: 'Importing the script took longer than allowed.',
    advice: 'Raise importTimeoutMs, or move slow work out of the top level of the script.',
  },
  CPU_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The call used more processor time than allowed.',
    advice: 'Do less in one call; whoever runs it may raise cpuMs.',
  },
  MEMORY_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The call asked for more memory than allowed.',
    advice: 'Hold less at once; whoever runs it may raise memoryBytes.',
  },
  DISK_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The call wrote more to its scratch folder than allowed.',
    advice: 'Raise scratchBytes, or let the script write less.',
  },
  OUTPUT_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The call wrote more output than allowed; its processes were ended.',
    advice: 'Raise maxOutputBytes, or print less.',
  },
  RESULT_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The returned value, or the files with it, take more than is allowed.',
    advice: 'Raise maxResultBytes, or return less.',
  },
  CALL_LIMIT: {
    fault: 'limit',
    httpStatus: 500,
    mcp: isError,
    exitCode: 1,
    meaning: 'The script made more tool calls than allowed.',
    advice: 'Ask for more at once; whoever runs it may raise maxCalls.',
  },
  CANCELLED: {
    fault: 'limit',
    httpStatus: 499,
    mcp: isError,
    exitCode: 130,
    meaning: 'The caller cancelled the call; its processes were ended.',
    advice: 'Nothing to do.',
  },
  PYTHON_NOT_FOUND: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 3,
    meaning: 'No Python 3.10 or newer was found.',
    advice: 'Install Python 3.10 or newer, or name one with --python.',
  },
  DEPENDENCIES_FAILED: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 3,
    meaning: 'The packages that the script asks for could not be installed.',
    advice: 'Read what the installer said; or install them yourself and name that environment with --python.',
  },
  SANDBOX_UNAVAILABLE: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 3,
    meaning: 'This machine cannot enforce the strict profile, so the script was not run.',
    advice:
      'Run mcp-exec doctor, which says what to change; or accept less with --enforcement best-effort, if you trust the script.',
  },
  SPAWN_FAILED: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 3,
    meaning: 'A Python process could not be started.',
    advice: 'Run mcp-exec doctor; the log has the detail under the reference.',
  },
  WIRE_BROKEN: {
    fault: 'host',
    httpStatus: 502,
    mcp: internalError,
    exitCode: 1,
    meaning: 'The connection to the Python process broke.',
    advice: 'Try again; the log has the detail under the reference.',
  },
  SERVER_FAILED: {
    fault: 'host',
    httpStatus: 502,
    mcp: internalError,
    exitCode: 1,
    meaning: 'The MCP server behind a service could not be started or reached, died, or did not speak MCP.',
    advice: 'Try again; the server is started anew. The log has what it wrote to stderr.',
  },
  UNAVAILABLE: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 1,
    meaning: 'The service, or the whole gateway, is being shut down or drained and takes no new calls.',
    advice: 'Try again later.',
  },
  QUEUE_FULL: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 1,
    meaning: 'Too many calls are waiting.',
    advice: 'Try again later, or raise concurrency or queueLength.',
  },
  CIRCUIT_OPEN: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 1,
    meaning: 'The service failed repeatedly and is not called for a while.',
    advice: 'Try again later.',
  },
  CLOSED: {
    fault: 'host',
    httpStatus: 503,
    mcp: internalError,
    exitCode: 1,
    meaning: 'The engine is closed.',
    advice: 'Create a new engine.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
type CodeOf<F extends Fault> = {
  [C in ErrorCode]: (typeof errorTable)[C]['fault'] extends F ? C : never;
}[ErrorCode];

/** The fields that a result would have had, and what else is known of this failure. */
export interface ErrorDetails {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly figures?: RunFigures;
  /** The exception's type, as Python names it. */
  readonly type?: string;
  readonly traceback?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The text of the offending line. */
  readonly text?: string;
  readonly module?: string;
  /** The flag that would allow what was refused. */
  readonly permission?: string;
  readonly limit?: number;
  readonly elapsedMs?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly setting?: string;
  readonly argument?: string;
  /** When trying again makes sense. */
  readonly retryAfterMs?: number;
  readonly tried?: readonly string[];
  /** Of a script that called tools: its run, and the calls that it had made. */
  readonly run?: string;
  readonly calls?: readonly CallRecord[];
  readonly reference?: string;
}

export class ExecutionError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly details: ErrorDetails;

  constructor(code: C, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }

  get fault(): Fault {
    return errorTable[this.code].fault;
  }

  get advice(): string {
    return errorTable[this.code].advice;
  }

  get exitCode(): number {
    return errorTable[this.code].exitCode;
  }
}

export class CallerError extends ExecutionError<CodeOf<'caller'>> {}
export class ScriptError extends ExecutionError<CodeOf<'script'>> {}
export class LimitError extends ExecutionError<CodeOf<'limit'>> {}
export class HostError extends ExecutionError<CodeOf<'host'>> {}

const classOfFault = {
  caller: CallerError,
  script: ScriptError,
  limit: LimitError,
  host: HostError,
} as const;

/** The error of the right class for a code that is known only at run time. */
export function createError(
  code: ErrorCode,
  message: string,
  details?: ErrorDetails,
  options?: ErrorOptions,
): ExecutionError {
  const errorClass = classOfFault[errorTable[code].fault] as new (
    code: ErrorCode,
    message: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) => ExecutionError;
  return new errorClass(code, message, details, options);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}
