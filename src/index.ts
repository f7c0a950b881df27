export {
  type CommandTarget,
  connect,
  createServerToolbox,
  type ServerTarget,
  type ServerToolbox,
  type ServerToolboxOptions,
  type UrlTarget,
} from './client/client.js';
export type { ConfigSource, InlineConfig } from './client/config/config.js';
export { createLogins, type Logins, type LoginsOptions } from './client/oauth/logins.js';
export type {
  Approval,
  Approve,
  CodeExecution,
  CutOutput,
  DescribedTool,
  DiscoverSchemasOptions,
  DiscoverSchemasResult,
  ExecuteLimits,
  ExecuteOptions,
  ExecuteResult,
  GeneratedServer,
  GenerateOptions,
  GenerateResult,
  Policy,
  SafeTool,
  SavedScript,
  SearchOptions,
  SearchResult,
  ToolChange,
  ToolEntry,
  ToolSchemaReport,
} from './codemode/code-execution.js';
export {
  environmentName,
  flagName,
  type LimitName,
  type Limits,
  limitNames,
  lowerLimits,
  parseSettings,
  type SettingName,
  type Settings,
  type SettingsInput,
  settingNames,
  settingsFromEnvironment,
  settingsSchema,
} from './config.js';
export { createEngine } from './engine/engine.js';
export { type PrecompileOptions, PythonEngine, type PythonScript, type ScriptContext } from './engine/python-engine.js';
export { createScriptToolbox, type ScriptToolbox, type ScriptToolboxOptions } from './engine/toolbox/toolbox.js';
export type {
  Engine,
  EngineStatus,
  FunctionCall,
  LogEntry,
  ReturnedFile,
  RunOptions,
  RunResult,
  ScriptRun,
  ScriptStatus,
} from './engine/work.js';
export {
  CallerError,
  createError,
  type ErrorCode,
  type ErrorDetails,
  ExecutionError,
  errorTable,
  type Fault,
  HostError,
  isErrorCode,
  LimitError,
  ScriptError,
} from './errors.js';
export { createKey, type KeyEntry, type NewKey } from './gateway/access/keys.js';
export type { OAuthOptions } from './gateway/access/oauth.js';
export type { Gateway, GatewayChanges } from './gateway/gateway.js';
export type { Service, ServiceDefinition, ServiceSource, Services } from './gateway/service.js';
export type { GatewaySettings, GatewaySettingsInput } from './gateway/settings.js';
export type { RunOptions as SuiteRunOptions } from './harness/harness.js';
export type { CaseReport, Finding, Report, RunEvent, SuiteReport } from './harness/report.js';
export type { SuiteInput } from './harness/suite/schema.js';
export { type DiscoverOptions, discover } from './manifest/discover.js';
export {
  type CommandLine,
  type CommandParameter,
  type Manifest,
  type ManifestScript,
  type ManifestTool,
  manifestSchema,
} from './manifest/manifest.js';
export { readManifest, writeManifest } from './manifest/read-write.js';
export { type FindPythonOptions, findPython, type Interpreter } from './python/interpreter.js';
export { type ServeStdioOptions, type StdioServer, serveStdio } from './server/stdio.js';
export { type CodeExecutionInput, createCodeExecution } from './services/code-execution.js';
export {
  type DiscoverSchemasInput,
  discoverSchemas,
  type ExecuteScriptInput,
  executeScript,
  type GenerateWrappersInput,
  generateWrappers,
} from './services/code-operations.js';
export { createGateway, type GatewayInput } from './services/gateway.js';
export { formatReport, type ReportForm, type RunSuiteInput, runSuite } from './services/run-suite.js';
export {
  type Ask,
  type CallEvent,
  type CallOptions,
  type CallRecord,
  type ContentBlock,
  type Enforcement,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type LogLevel,
  logLevels,
  type OnAsk,
  type OnEvent,
  type RunFigures,
  type Tool,
  type Toolbox,
  type ToolResult,
} from './toolbox.js';
