import type { Gateway } from '../gateway/gateway.js';
import type { Service } from '../gateway/service.js';
import { isJsonObject, type JsonObject, type JsonValue, type Tool } from '../toolbox.js';
import { paint, type Terminal } from './terminal.js';

export interface Announced {
  readonly hasAuth: boolean;
  readonly canUpload: boolean;
}

const shownServices = 10;
/** Servers that take longer to start are announced as that. */
const patienceMs = 5000;

/** Tells a person where the gateway is, what it serves and what to try. What it gives back ends the telling. */
export function announce(
  { url, services }: Pick<Gateway, 'url' | 'services'>,
  { hasAuth, canUpload }: Announced,
  terminal: Terminal,
): () => void {
  let isOver = false;
  terminal.note(`Gateway: ${paint(terminal, 'cyan', url)}\n`);
  void tellServices();
  return () => {
    isOver = true;
  };

  async function tellServices(): Promise<void> {
    const all = services.list();
    const found = await Promise.all(all.slice(0, shownServices).map(lookAt));
    if (isOver) return;
    const more = all.length > shownServices ? [`and ${all.length - shownServices} more`] : [];
    const lines = found.map((looked) => `${looked.service.id} (${countOf(looked)})`);
    terminal.note(`Services: ${[...lines, ...more].join(', ') || 'none yet'}\n`);
    for (const { service, problem } of found) {
      if (problem !== undefined) terminal.note(`${service.id} fails: ${problem}\n`);
    }
    terminal.note(
      hasAuth
        ? 'Access: by key or token, in the header Authorization: Bearer KEY\n'
        : 'Access: open, to this machine alone; mcp-exec key NAME makes a key\n',
    );
    const callable = found.find(({ tools }) => tools !== undefined && tools.length > 0);
    terminal.note(`Try: ${trial(url, hasAuth, canUpload, callable)}\n`);
    terminal.note(`MCP: ${url}/mcp has the tools of all services, ${url}/api/v1/mcp/ID those of one\n`);
  }
}

interface Looked {
  readonly service: Service;
  readonly tools?: readonly Tool[];
  /** Why the tools cannot be had. */
  readonly problem?: string;
}

async function lookAt(service: Service): Promise<Looked> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs).unref();
  });
  try {
    const tools = await Promise.race([service.toolbox.listTools(), late]);
    return tools === undefined ? { service } : { service, tools };
  } catch (error) {
    return { service, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

function countOf({ tools, problem }: Looked): string {
  if (tools === undefined) return problem === undefined ? 'starting' : 'failing';
  return tools.length === 1 ? '1 tool' : `${tools.length} tools`;
}

function trial(url: string, hasAuth: boolean, canUpload: boolean, callable: Looked | undefined): string {
  const key = hasAuth ? ' -H "Authorization: Bearer $KEY"' : '';
  const tools = callable?.tools ?? [];
  const tool = tools.find(asksForSomething) ?? tools[0];
  if (callable && tool) {
    const address = `${url}/api/v1/services/${callable.service.id}/tools/${encodeURIComponent(tool.name)}`;
    return `curl -s ${address}${key} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(exampleOf(tool.inputSchema)))}`;
  }
  return canUpload ? `curl -s ${url}/api/v1/services${key} -F file=@script.py` : `curl -s ${url}/api/v1/services${key}`;
}

/** More telling than a call of nothing. */
function asksForSomething({ inputSchema: { required } }: Tool): boolean {
  return Array.isArray(required) && required.length > 0;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Arguments that a tool takes, as far as its schema tells. */
function exampleOf(schema: JsonObject): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isJsonObject(properties)) return {};
  const names = required.filter((name): name is string => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, valueFor(properties[name])]));
}

const examples: Readonly<Record<string, JsonValue>> = {
  string: 'to be or not to be',
  integer: 3,
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
};

function valueFor(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return 'text';
  const { examples: given, default: fallback, enum: choices, type } = schema;
  const [first] = Array.isArray(given) ? given : Array.isArray(choices) ? choices : [];
  if (first !== undefined) return first;
  if (fallback !== undefined) return fallback;
  const name = Array.isArray(type) ? type[0] : type;
  return typeof name === 'string' ? (examples[name] ?? null) : 'text';
}
