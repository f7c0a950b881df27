import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { CallerError, ExecutionError } from '../../errors.js';
import type { SentFields } from './choices.js';

export interface Received {
  /** The uploaded file, as it is. */
  readonly path: string;
  readonly sha256: string;
  /** As the client calls it. */
  readonly filename?: string;
  readonly contentType: string;
  readonly fields: SentFields;
}

export const rawTypes = [
  'text/x-python',
  'text/x-script.python',
  'application/x-python-code',
  'application/zip',
  'application/x-zip-compressed',
  'application/octet-stream',
] as const;

const formLimits = {
  files: 2,
  fields: 32,
  fieldSize: 64 * 1024,
  fieldNameSize: 100,
  parts: 36,
  headerPairs: 50,
} as const;
/** What a form has around its file. */
const aroundFileBytes = 256 * 1024;

/** Writes the body of an upload into the folder, and no more of it than is taken. */
export async function receiveUpload(request: FastifyRequest, folder: string, maxBytes: number): Promise<Received> {
  const contentType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isForm = contentType === 'multipart/form-data';
  refuseEarly(request, contentType, maxBytes + (isForm ? aroundFileBytes : 0));
  const path = join(folder, 'upload');
  try {
    return isForm
      ? await receiveForm(request, path, maxBytes)
      : { path, contentType, fields: queryOf(request), ...(await writeBody(request.raw, path, maxBytes)) };
  } catch (error) {
    // What still comes is read and dropped, so that the client gets to read the answer.
    request.raw.unpipe();
    request.raw.resume();
    if (error instanceof ExecutionError || isOfFileSystem(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallerError('INVALID_REQUEST', `The body cannot be read: ${reason}`, {}, { cause: error });
  }
}

function refuseEarly(request: FastifyRequest, contentType: string, maxBytes: number): void {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  const isTaken = contentType === 'multipart/form-data' || rawTypes.some((type) => type === contentType);
  if (!isTaken) {
    const found = contentType === '' ? 'no content type' : `the content type ${contentType.slice(0, 80)}`;
    throw unsupported(
      `The request has ${found}; send a script as text/x-python, an archive as application/zip, or a form with the field file`,
    );
  }
  if (encoding !== undefined && encoding !== 'identity') throw unsupported('Send the file without Content-Encoding');
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
}

async function receiveForm(request: FastifyRequest, path: string, maxBytes: number): Promise<Received> {
  const fields = new Map(queryOf(request));
  let file: Omit<Received, 'fields'> | undefined;
  // One byte more than is taken, so that the count here is what refuses.
  const limits = { ...formLimits, fileSize: maxBytes + 1 };
  for await (const part of request.parts({ limits })) {
    const { fieldname } = part;
    if (part.type === 'field') {
      if (part.valueTruncated) throw new CallerError('INVALID_REQUEST', `The field ${fieldname} is too long`);
      fields.set(fieldname, [...(fields.get(fieldname) ?? []), String(part.value)]);
      continue;
    }
    if (fieldname !== 'file') throw new CallerError('INVALID_REQUEST', 'The file has to be sent in the field file');
    if (file) throw new CallerError('INVALID_REQUEST', 'There are two files; put several scripts into one .zip');
    const { filename, mimetype } = part;
    file = {
      path,
      contentType: mimetype,
      ...(await writeBody(part.file, path, maxBytes)),
      ...(filename && { filename }),
    };
  }
  if (!file) throw new CallerError('INVALID_REQUEST', 'The form has no field file with a .py or .zip file');
  return { ...file, fields };
}

async function writeBody(body: Readable, path: string, maxBytes: number): Promise<{ readonly sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* () {
    // Ending early must not end the connection, on which the answer is to be sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { sha256: hash.digest('hex') };
}

function queryOf({ query }: FastifyRequest): SentFields {
  if (typeof query !== 'object' || query === null) return new Map();
  return new Map(Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)]));
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function tooLarge(maxBytes: number): CallerError {
  return new CallerError('TOO_LARGE', `The upload is larger than ${maxBytes} bytes (maxUploadBytes)`);
}

function unsupported(message: string): Error {
  return Object.assign(new Error(message), { code: 'UNSUPPORTED_UPLOAD', statusCode: 415 });
}
