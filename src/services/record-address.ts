import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { createLineCutter } from '../client/command/lines.js';
import type { Logins } from '../client/oauth/logins.js';
import { fetchWithin } from '../client/remote/redirects.js';
import type { UrlTarget } from '../client/target.js';
import {
  clientGone,
  comesWithin,
  longestHeard,
  type RelayEnd,
  type RelayOptions,
  whenAborted,
} from './record-relay.js';

export interface AddressRelayOptions extends RelayOptions {
  /** Logins that were kept for servers at addresses. */
  readonly logins?: Logins;
}

const internalError = -32603;
const goodbyeMs = 1000;
const restMs = 5000;
const mostUnreadBytes = 64 * 1024 * 1024;

/** Stands between a client on stdio and a server at an address, and hears what they say. */
export async function relayAddress(target: UrlTarget, options: AddressRelayOptions): Promise<RelayEnd> {
  const { stdin, stdout, signal, note } = options;
  const transport = createTransport(target, options);
  /** Requests of the client that wait for their answers. */
  const waiting = new Map<RequestId, { readonly cancel: AbortController; readonly isModern: boolean }>();
  let introduction: RequestId | undefined;
  let sending = Promise.resolve();
  transport.onmessage = takeAnswer;
  transport.onerror = () => {};
  await transport.start();
  const cutter = createLineCutter(longestHeard, takeLine, () => {}, {
    maxBytes: Number.POSITIVE_INFINITY,
    onSkipped: () => note(`The client sent a message of more than ${longestHeard} bytes, which is not passed on.`),
  });
  stdin.on('data', push);
  const by = await new Promise<RelayEnd['by']>((resolve) => {
    clientGone(options).then(() => resolve('client'));
    whenAborted(signal, () => resolve('interruption'));
  });
  stdin.off('data', push);
  if (by === 'client') await comesWithin(sending, restMs);
  await comesWithin(transport.terminateSession(), goodbyeMs);
  await transport.close();
  return { by, message: by === 'client' ? 'The client ended the session' : 'The recording was interrupted' };

  function push(chunk: Buffer): void {
    cutter.push(chunk);
  }

  function takeLine(bytes: Buffer): void {
    const line = bytes.toString();
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      return note('The client wrote a line that is no message, which is not passed on.');
    }
    options.hear('client', message);
    // A request may take its time; what else a client says is short, and is to arrive in its order.
    sending = sending.then(() => (isRequest(message) ? sendRequest(message) : sendOther(message)));
  }

  function sendRequest(message: Request): void {
    const { id, method, params } = message;
    if (method === 'initialize') introduction = id;
    const cancel = new AbortController();
    waiting.set(id, { cancel, isModern: params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined });
    const lost = () => answerInstead(id, 'The connection to the MCP server ended before it answered');
    transport
      .send(message, { requestSignal: cancel.signal, onRequestStreamEnd: lost })
      .catch((error: unknown) => answerInstead(id, `The MCP server could not be asked: ${messageOf(error)}`));
  }

  async function sendOther(message: JSONRPCMessage): Promise<void> {
    const cancelled = cancelledBy(message);
    const given = cancelled === undefined ? undefined : waiting.get(cancelled);
    if (given && cancelled !== undefined) waiting.delete(cancelled);
    // The newer revision has no word for it: the stream of the request is closed.
    if (given?.isModern) return given.cancel.abort();
    await transport.send(message).catch((error: unknown) => note(`A message did not arrive: ${messageOf(error)}`));
  }

  function takeAnswer(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) {
      waiting.delete(message.id);
      if (message.id === introduction && 'result' in message) noteVersion(message.result.protocolVersion);
    }
    options.hear('server', message);
    write(message);
  }

  function noteVersion(version: unknown): void {
    if (typeof version === 'string') transport.setProtocolVersion(version);
  }

  /** So that the client does not wait for what cannot come. It is no word of the server, and is not recorded. */
  function answerInstead(id: RequestId, message: string): void {
    if (!waiting.delete(id)) return;
    note(message);
    write({ jsonrpc: '2.0', id, error: { code: internalError, message } });
  }

  function write(message: JSONRPCMessage): void {
    if (!stdout.writable || stdout.writableLength > mostUnreadBytes) return;
    stdout.write(`${JSON.stringify(message)}\n`);
  }
}

type Request = Extract<JSONRPCMessage, { readonly id: RequestId; readonly method: string }>;

function isRequest(message: JSONRPCMessage): message is Request {
  return 'method' in message && 'id' in message;
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function createTransport(
  { url, headers = {} }: UrlTarget,
  { logins }: AddressRelayOptions,
): StreamableHTTPClientTransport {
  const address = new URL(url);
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const login = hasCredentials ? undefined : logins?.of(address);
  return new StreamableHTTPClientTransport(address, {
    requestInit: { headers },
    fetch: login ? login.watch((to, init) => fetchWithin(to, init ?? {})) : (to, init) => fetchWithin(to, init ?? {}),
    authProvider: login?.provider,
  });
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 500);
}
