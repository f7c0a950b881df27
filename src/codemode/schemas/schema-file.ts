import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { isJsonObject, type JsonSchema } from '../../toolbox.js';

/** What was inferred of the answers of one tool. Of the answers themselves nothing is kept. */
export interface InferredSchema {
  readonly tool: string;
  /** Of the tool as it was when it was called. */
  readonly definition: string;
  readonly samples: number;
  readonly isJsonText: boolean;
  readonly schema: JsonSchema;
}

export interface SchemaFile {
  readonly server: string;
  readonly tools: readonly InferredSchema[];
}

const maxFileBytes = 32 * 1024 * 1024;

const fileSchema = z.object({
  server: z.string(),
  tools: z.array(
    z.object({
      tool: z.string().min(1),
      origin: z.literal('inferred'),
      samples: z.int().positive(),
      isJsonText: z.boolean(),
      definition: z.string().min(1),
      schema: z.custom<JsonSchema>(isJsonObject, 'expected an object'),
    }),
  ),
});

/** Throws an error that says what is wrong with the file. */
export async function readSchemaFile(path: string): Promise<SchemaFile> {
  await refuseUnreadable(path);
  const parsed = fileSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') ?? 'the whole'}: ${issue?.message ?? 'not the form of a schema file'}`);
}

/** Puts the new file in the place of the old one, and leaves alone one that says the same. */
export async function writeSchemaFile(path: string, { server, tools }: SchemaFile): Promise<void> {
  const sorted = [...tools].sort((one, other) => (one.tool < other.tool ? -1 : 1));
  const entries = sorted.map(({ tool, samples, isJsonText, definition, schema }) => {
    return { tool, origin: 'inferred', samples, isJsonText, definition, schema };
  });
  const text = `${JSON.stringify({ server, tools: entries }, null, 2)}\n`;
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function refuseUnreadable(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is no file');
  if (found.size > maxFileBytes) throw new Error(`it has ${found.size} bytes, more than ${maxFileBytes}`);
}
