import * as z from 'zod';

const bytes = () => z.int().positive();
const milliseconds = () =>
  z
    .int()
    .positive()
    .max(2 ** 31 - 1);
const count = () => z.int().positive();
const texts = () => z.array(z.string().min(1)).default([]);

const kilo = 1024;
const mega = 1024 * kilo;

/** The one source of the gateway's own settings, with their defaults, flags, variables and page. */
export const gatewaySettingsSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. One that other machines reach is refused unless keys or OAuth are configured.'),
  port: z.int().min(0).max(65_535).default(8080).describe('Port to listen on; 0 takes one that is free.'),
  data: z
    .string()
    .min(1)
    .optional()
    .describe('Folder that keeps uploaded services. Not given: nothing can be uploaded.'),
  allowedHosts: texts().describe(
    'Names by which clients may address the gateway in the Host header, beside localhost and the address it listens on.',
  ),
  corsOrigins: texts().describe(
    'Origins of web pages that may use the gateway, such as https://app.example.com. Not given: none but its own.',
  ),
  trustProxy: z
    .boolean()
    .default(false)
    .describe('Whether X-Forwarded-For and -Proto of the machine in front are believed.'),
  maxBodyBytes: bytes()
    .default(4 * mega)
    .describe('Size of the body of a request.'),
  maxUploadBytes: bytes()
    .default(16 * mega)
    .describe('Size of an uploaded script or archive.'),
  maxUnpackedBytes: bytes()
    .default(64 * mega)
    .describe('Size of what an uploaded archive unpacks to.'),
  maxUnpackedFiles: count().default(2000).describe('Files in an uploaded archive.'),
  bodyTimeoutMs: milliseconds().default(30_000).describe('Time that a client may take to send a request.'),
  maxConnections: count().default(10_000).describe('Connections open at once.'),
  maxStreamsPerClient: count()
    .default(1000)
    .describe('Event streams, and MCP sessions, that one client may have open at once.'),
  requestsPerSecond: count()
    .default(2000)
    .describe('Requests that one client may make per second, on average over ten.'),
  maxRunningPerClient: count()
    .default(64)
    .describe('Calls that one client may have running or waiting at once, on all services together.'),
  maxServicesPerClient: count().default(20).describe('Services that one client may have uploaded.'),
  maxDiskBytesPerClient: bytes()
    .default(256 * mega)
    .describe('Size of all that one client has uploaded, unpacked.'),
  heartbeatMs: milliseconds().default(15_000).describe('Time after which a silent event stream gets a comment line.'),
  streamIdleMs: milliseconds()
    .default(300_000)
    .describe('Time after which an event stream or MCP session that nobody uses or listens to is forgotten.'),
  maxSessions: count().default(10_000).describe('MCP sessions at once; the longest idle one goes first.'),
  eventBufferBytes: bytes()
    .default(1 * mega)
    .describe('Events that are kept per stream, so that a client that reconnects loses nothing.'),
  maxUnsentBytes: bytes()
    .default(8 * mega)
    .describe('What may wait for a client that reads too slowly, before its stream is cut.'),
  compressFromBytes: bytes()
    .default(8 * kilo)
    .describe('Size from which answers are compressed for clients that take it.'),
  breakerFailures: count()
    .default(5)
    .describe('Failures of a service in a row, crashes and timeouts alike, after which it is not called for a while.'),
  breakerResetMs: milliseconds()
    .default(10_000)
    .describe('Time after which one call is let through to see whether a service works again.'),
  cacheTools: texts().describe(
    'Tools whose results may be kept, beside those that say of themselves that they are read-only and idempotent: SERVICE/TOOL, with * for any.',
  ),
  cacheTtlMs: z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1)
    .default(60_000)
    .describe('Time that results of such tools are kept; 0 keeps none.'),
  cacheBytes: bytes()
    .default(64 * mega)
    .describe('Size of all results that are kept.'),
  idempotencyMs: milliseconds()
    .default(600_000)
    .describe('Time that the answer to a request with an Idempotency-Key is kept for its repetition.'),
  probeMs: milliseconds().default(15_000).describe('Time between two checks of a service, each a real call.'),
  drainMs: milliseconds()
    .default(10_000)
    .describe('Time that calls under way have to finish when the gateway, or a service, is ended.'),
  accessLog: z
    .string()
    .min(1)
    .optional()
    .describe('File that a line of JSON is added to for each request; - is stderr. Not given: no access log.'),
});

export type GatewaySettings = z.output<typeof gatewaySettingsSchema>;
export type GatewaySettingsInput = z.input<typeof gatewaySettingsSchema>;
export type GatewaySettingName = keyof GatewaySettings;
