import { onAbort } from '../../src/queue/abort.js';
import type {
  Exchange,
  Introduction,
  NotificationEvent,
  OpenOptions,
  OpenServer,
  Outcome,
  RequestOptions,
  Served,
  ServerEnd,
  TestedServer,
  TimedEvent,
  TreeUsage,
} from '../../src/testedserver.js';
import type { JsonObject, JsonValue, Tool } from '../../src/toolbox.js';

/** What a fake server does; what is not said, it does as a good one would. */
export interface FakeScript {
  readonly tools?: readonly Tool[];
  readonly introduction?: Partial<Introduction>;
  /** Of `tools/call`; not given: the arguments come back as text and as structured content. */
  readonly call?: (name: string, args: JsonObject, request: FakeRequest) => Outcome | Promise<Outcome>;
  /** Of all other methods; undefined: as a good server would. */
  readonly request?: (
    method: string,
    params: JsonObject,
    request: FakeRequest,
  ) => Outcome | Promise<Outcome> | undefined;
  readonly pid?: number;
  readonly served?: Served;
  readonly usage?: () => TreeUsage;
  readonly stderr?: readonly string[];
  readonly noise?: readonly string[];
}

export interface FakeRequest {
  readonly server: FakeServer;
  /** Aborts when the request is given up. */
  readonly signal: AbortSignal;
  /** Progress and logs of the request. */
  tell(event: TimedEvent): void;
}

/** A server without a process. Requests end by answer, cancellation, timeout or death, whichever is first. */
export class FakeServer implements TestedServer {
  readonly requests: { readonly method: string; readonly params: JsonObject }[] = [];
  readonly introduction: Introduction;
  readonly ended: Promise<ServerEnd>;
  readonly noise: readonly string[];
  readonly pid: number | undefined;
  readonly served?: Served;
  isOver = false;
  lateAnswers = 0;
  readonly strayAnswers = [];
  readonly asked: string[] = [];
  /** Lines on standard error: those of its script come with the first call. */
  readonly words: string[] = [];
  closes = 0;
  #lastUsage: TreeUsage | undefined;
  readonly #script: FakeScript;
  readonly #underWay = new Set<(outcome: Outcome) => void>();
  readonly #listeners = new Set<(notification: NotificationEvent) => void>();
  #resolveEnded: (end: ServerEnd) => void = () => {};

  constructor(script: FakeScript = {}) {
    this.#script = script;
    this.pid = script.pid;
    if (script.served) this.served = script.served;
    this.noise = script.noise ?? [];
    this.introduction = {
      name: 'fake',
      version: '1.0.0',
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      ms: 1,
      ...script.introduction,
    };
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<Exchange> {
    this.requests.push({ method, params });
    const started = performance.now();
    const events: TimedEvent[] = [];
    const givenUp = new AbortController();
    let stopWatching = (): void => {};
    return new Promise((resolve) => {
      const settle = (outcome: Outcome) => {
        if (!this.#underWay.delete(settle)) return;
        clearTimeout(timer);
        stopWatching();
        resolve({ outcome, events, ms: performance.now() - started });
      };
      const giveUp = (code: string, message: string) => {
        settle({ kind: 'none', code, message });
        givenUp.abort();
      };
      const cancel = () => giveUp('CANCELLED', 'The call was cancelled');
      const timer = setTimeout(
        () => giveUp('TIMEOUT', `The MCP server did not answer within ${options.timeoutMs} ms`),
        options.timeoutMs,
      );
      this.#underWay.add(settle);
      if (this.isOver) return settle(gone('The MCP server is over'));
      if (options.signal?.aborted) return cancel();
      stopWatching = onAbort(options.signal, cancel);
      const tell = (event: TimedEvent) => {
        events.push(event);
        options.onEvent?.(event);
      };
      const request = { server: this, signal: givenUp.signal, tell };
      void this.#answer(method, params, request).then((outcome) => {
        if (givenUp.signal.aborted && !this.isOver) this.lateAnswers += 1;
        settle(outcome);
      });
    });
  }

  async #answer(method: string, params: JsonObject, request: FakeRequest): Promise<Outcome> {
    const said = this.#script.request?.(method, params, request);
    if (said) return said;
    if (method === 'tools/list') return result({ tools: (this.#script.tools ?? []) as unknown as JsonValue });
    if (method === 'ping') return result({});
    if (method !== 'tools/call') return rpcError(-32601, 'Method not found');
    if (this.words.length === 0) this.words.push(...(this.#script.stderr ?? []));
    const name = String(params.name);
    const args = (params.arguments ?? {}) as JsonObject;
    if (this.#script.call) return this.#script.call(name, args, request);
    if (!this.#script.tools?.some((tool) => tool.name === name)) return rpcError(-32602, `Unknown tool: ${name}`);
    return result({ content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args });
  }

  listen(hear: (notification: NotificationEvent) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** As a server that tells something outside of a request. */
  notify(method: string, params: JsonObject = {}): void {
    for (const hear of this.#listeners) hear({ type: 'notification', method, params });
  }

  /** As a process that ends by itself: what is under way gets no answer. */
  die(message = 'The MCP server died with exit code 1'): void {
    this.#end({ wasAsked: false, message });
  }

  lastWords(since = 0): readonly string[] {
    return this.words.slice(since);
  }

  get wordCount(): number {
    return this.words.length;
  }

  async usage(): Promise<TreeUsage | undefined> {
    return this.isOver ? this.#lastUsage : this.#script.usage?.();
  }

  async close(): Promise<void> {
    this.closes += 1;
    this.#lastUsage ??= this.isOver ? undefined : this.#script.usage?.();
    this.#end({ wasAsked: true, message: 'The MCP server was closed' });
  }

  #end(end: ServerEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#resolveEnded(end);
    for (const settle of [...this.#underWay]) settle(gone(end.message));
  }
}

export type FakeOpen = OpenServer & {
  readonly servers: readonly FakeServer[];
  /** What each was opened with. */
  readonly opened: readonly OpenOptions[];
};

/** Opens fakes that all do the same, and keeps them. */
export function fakeOpen(script: FakeScript = {}): FakeOpen {
  return fakeOpenEach(() => script);
}

/** Opens fakes of which each does what its number in the order says, and keeps them. */
export function fakeOpenEach(scriptOf: (number: number) => FakeScript): FakeOpen {
  const servers: FakeServer[] = [];
  const opened: OpenOptions[] = [];
  const open = async (options: OpenOptions = {}) => {
    const server = new FakeServer(scriptOf(servers.length));
    servers.push(server);
    opened.push(options);
    return server;
  };
  return Object.assign(open, { servers, opened });
}

/** The suite's own server: opened when it is first asked for, and again after it was over. */
export function fakeShared(open: OpenServer): () => Promise<TestedServer> {
  let current: Promise<TestedServer> | undefined;
  return async () => {
    if (current === undefined || (await current).isOver) current = open();
    return current;
  };
}

export function fakeTool(name: string, properties: JsonObject = {}, more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `What ${name} does.`,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
    ...more,
  };
}

export function result(content: JsonObject): Outcome {
  return { kind: 'result', result: content };
}

export function says(text: string): Outcome {
  return result({ content: [{ type: 'text', text }] });
}

export function fails(text: string): Outcome {
  return result({ content: [{ type: 'text', text }], isError: true });
}

export function rpcError(code: number, message: string): Outcome {
  return { kind: 'error', error: { code, message } };
}

/** An answer that never comes. */
export function silence(): Promise<Outcome> {
  return new Promise(() => {});
}

function gone(message: string): Outcome {
  return { kind: 'none', code: 'SERVER_FAILED', message };
}
