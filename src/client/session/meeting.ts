import { Client, type ClientOptions, SdkError, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import type { Introduction, Reply } from '../../testedserver.js';
import { isJsonObject, type JsonObject } from '../../toolbox.js';
import { serverFailed } from '../failures.js';
import { introduce, noSchemaValidator } from '../introduce.js';
import type { Link } from '../link.js';
import type { FilledOptions } from '../target.js';
import type { Answering } from './asked.js';

export type ProtocolChoice = 'legacy' | 'modern' | 'auto';

export interface Meeting {
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string;
  readonly introduced: Omit<Introduction, 'ms'>;
}

interface MeetingOptions {
  readonly signal?: AbortSignal;
  readonly capabilities?: JsonObject;
  readonly protocol?: ProtocolChoice;
  /** For what the server asks as soon as it was introduced to. */
  readonly answering?: Answering;
}

const modernVersion = '2026-07-28';
const probeMs = 5000;
const longestReason = 500;

/** The SDK finds out what the server speaks, and is not asked for anything afterwards. */
export async function meet(link: Link, options: FilledOptions, given: MeetingOptions): Promise<Meeting> {
  const { log } = options;
  const client = new Client(options.identity, {
    capabilities: given.capabilities ?? {},
    jsonSchemaValidator: noSchemaValidator,
    versionNegotiation: negotiationOf(given.protocol, link),
  });
  client.onerror = (error) => {
    log.debug('the session with an MCP server reported an error', { message: error.message.slice(0, longestReason) });
    link.onError?.(error);
  };
  const { answering } = given;
  if (answering) {
    client.fallbackRequestHandler = async ({ method, params }) => resultOf(answering.answer(method, params).reply);
  }
  const said = listenToAnswers(link);
  try {
    await introduce(client, link, options.startTimeoutMs, given.signal);
  } catch (error) {
    throw betterSaid(error, said.first());
  } finally {
    said.stop();
  }
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  const words = (era === 'modern' ? undefined : said.first()) ?? discovered(client);
  return { era, protocolVersion, introduced: introductionOf(words, protocolVersion) };
}

/** The SDK makes an error of one that is thrown. */
function resultOf(reply: Reply): JsonObject {
  if ('result' in reply) return reply.result;
  throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
}

function negotiationOf(protocol: ProtocolChoice | undefined, link: Link): ClientOptions['versionNegotiation'] {
  if (protocol === undefined) return link.negotiation;
  if (protocol === 'legacy') return undefined;
  return { mode: protocol === 'auto' ? 'auto' : { pin: modernVersion }, probe: { timeoutMs: probeMs } };
}

/** The SDK keeps of an introduction what it knows; here it is kept as it came. */
function listenToAnswers({ transport }: Link): { first(): JsonObject | undefined; stop(): void } {
  let first: JsonObject | undefined;
  let isOver = false;
  transport.onmessage = (message) => {
    if (!isOver && 'result' in message && isJsonObject(message.result)) first ??= message.result;
  };
  return {
    first: () => first,
    stop() {
      isOver = true;
    },
  };
}

function discovered(client: Client): JsonObject {
  return {
    ...JSON.parse(JSON.stringify(client.getDiscoverResult() ?? {})),
    serverInfo: JSON.parse(JSON.stringify(client.getServerVersion() ?? {})),
  };
}

function introductionOf(
  { serverInfo, capabilities, instructions }: JsonObject,
  protocolVersion: string,
): Meeting['introduced'] {
  const { name, version, title } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof version === 'string' && { version }),
    ...(typeof title === 'string' && { title }),
    ...(typeof instructions === 'string' && { instructions }),
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

/** What the SDK did not like about an introduction. */
function betterSaid(error: unknown, words: JsonObject | undefined): unknown {
  if (!(error instanceof Error) || words === undefined) return error;
  const { protocolVersion } = words;
  if (typeof protocolVersion === 'string' && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    const spoken = JSON.stringify(protocolVersion.slice(0, 100));
    return serverFailed(`The MCP server speaks version ${spoken} of the protocol, which is not known here`, {}, error);
  }
  if (!(error.cause instanceof SdkError)) return error;
  const reason = error.cause.message.replace(/\s+/g, ' ').slice(0, longestReason);
  return serverFailed(`The MCP server introduced itself in a form that MCP does not know: ${reason}`, {}, error.cause);
}
