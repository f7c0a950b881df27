import { join } from 'node:path';
import * as z from 'zod';
import { type ServiceDefinition, serviceIdForm } from '../service.js';

const names = z.array(z.string().min(1).max(256)).min(1).max(500);

/** What is kept of an uploaded service beside its files: the content of its service.json. */
export const uploadRecordSchema = z.strictObject({
  id: z.string().regex(serviceIdForm),
  owner: z.string().min(1),
  /** The folder beside it that holds the files. */
  version: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  kind: z.enum(['script', 'archive']),
  /** The name of what was uploaded; of a script also that of its file. */
  file: z.string().min(1).max(255),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** All files together, unpacked. */
  bytes: z.int().nonnegative(),
  files: z.int().positive(),
  name: z.string().min(1).optional(),
  description: z.string().min(1).optional(),
  only: names.optional(),
  exclude: names.optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type UploadRecord = Readonly<z.output<typeof uploadRecordSchema>>;

/** What is served: always strict, whatever was sent with it. */
export function definitionOf(record: UploadRecord, folder: string): ServiceDefinition {
  const { id, owner, name, description, only, exclude } = record;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    source: {
      kind: 'script',
      targets: [targetOf(record, folder)],
      ...(only !== undefined && { only }),
      ...(exclude !== undefined && { exclude }),
    },
    settings: { profile: 'strict' },
    owner,
  };
}

export function targetOf({ kind, file }: Pick<UploadRecord, 'kind' | 'file'>, folder: string): string {
  return kind === 'script' ? join(folder, file) : folder;
}
