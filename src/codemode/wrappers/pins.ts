import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CallerError } from '../../errors.js';
import { isJsonObject, type JsonObject, type Tool } from '../../toolbox.js';

/** What was generated, and from which definitions: nothing that a server says later changes it unless a person accepts that. */
export interface Pins {
  readonly hasTypescript: boolean;
  readonly servers: ReadonlyMap<string, PinnedServer>;
  /** Every generated file, seen from the folder. */
  readonly files: readonly string[];
}

export interface PinnedServer {
  readonly module: string;
  readonly description?: string;
  readonly tools: ReadonlyMap<string, PinnedTool>;
  /** The hashes of tools that the server took away: should one come back, it must be the same. */
  readonly removed: ReadonlyMap<string, string>;
}

export interface PinnedTool {
  /** Of the whole definition. */
  readonly hash: string;
  readonly tool: Tool;
}

export const pinsFile = 'lock.json';
export const noPins: Pins = { hasTypescript: false, servers: new Map(), files: [] };

/** None where nothing was generated yet. */
export async function readPins(folder: string): Promise<Pins> {
  const path = join(folder, pinsFile);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unreadable(path, 'it cannot be read', error);
  });
  return text === undefined ? noPins : parsePins(path, text);
}

/** The same again and again, as long as the file stays the one that was read. */
export function createPinsReader(folder: string): () => Promise<Pins> {
  let read: { readonly stamp: string; readonly pins: Promise<Pins> } | undefined;
  return async () => {
    const found = await stat(join(folder, pinsFile)).catch(() => undefined);
    const stamp = found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
    if (read?.stamp !== stamp) read = { stamp, pins: readPins(folder) };
    return read.pins;
  };
}

export function renderPins({ hasTypescript, servers, files }: Pins): string {
  const lock: Lock = {
    version,
    typescript: hasTypescript,
    servers: [...servers].sort(byKey).map(([name, { module, description, tools, removed }]) => ({
      name,
      module,
      description,
      tools: [...tools].sort(byKey).map(([, { hash, tool }]) => ({ hash, tool })),
      removed: [...removed].sort(byKey).map(([tool, hash]) => ({ name: tool, hash })),
    })),
    files: [...files].sort(),
  };
  return `${JSON.stringify(lock, null, 1)}\n`;
}

const version = 1;
const objectSchema = z.custom<JsonObject>(isJsonObject, 'is no object');
/** Two levels of plain names: a lock that somebody else wrote leads nowhere outside the folder. */
const pathSchema = z
  .string()
  .regex(/^(?:\w+\/)?(?:\w+\.(?:py|pyi|txt)|index\.d\.ts)$/, 'is not the path of a generated file');
const lockSchema = z.object({
  version: z.literal(version),
  typescript: z.boolean(),
  servers: z.array(
    z.object({
      name: z.string(),
      module: z.string().regex(/^\w+$/),
      description: z.string().optional(),
      tools: z.array(
        z.object({
          hash: z.string(),
          tool: z.object({
            name: z.string(),
            title: z.string().optional(),
            description: z.string().optional(),
            inputSchema: objectSchema,
            outputSchema: objectSchema.optional(),
            annotations: objectSchema.optional(),
          }),
        }),
      ),
      removed: z.array(z.object({ name: z.string(), hash: z.string() })),
    }),
  ),
  files: z.array(pathSchema),
});
type Lock = z.infer<typeof lockSchema>;

function parsePins(path: string, text: string): Pins {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw unreadable(path, 'it is not JSON', error);
  }
  const parsed = lockSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unreadable(path, `${issue?.path.join('.') || 'it'}: ${issue?.message}`, parsed.error);
  }
  const { typescript, servers, files } = parsed.data;
  return {
    hasTypescript: typescript,
    files,
    servers: new Map(
      servers.map(({ name, module, description, tools, removed }) => [
        name,
        {
          module,
          description,
          tools: new Map(tools.map((one) => [one.tool.name, one])),
          removed: new Map(removed.map((one) => [one.name, one.hash])),
        },
      ]),
    ),
  };
}

/** To go on without it would take over whatever the servers say now. */
function unreadable(path: string, problem: string, cause: unknown): CallerError {
  const message = `${path} says what the wrappers were generated from, and ${problem}. Delete it to accept the tools as the servers list them now.`;
  return new CallerError('INVALID_WORKSPACE', message, {}, { cause });
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
