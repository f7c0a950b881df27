import { HostError } from '../errors.js';
import type { JsonValue } from '../toolbox.js';

/** A frame is one ASCII type byte, the payload's length as u32 big-endian, and the payload. */
const headerBytes = 5;
const firstRoomBytes = 64 * 1024;

export function encodeFrame(type: string, payload: JsonValue | Buffer): Buffer {
  if (Buffer.isBuffer(payload)) {
    const frame = startFrame(type, payload.length);
    payload.copy(frame, headerBytes);
    return frame;
  }
  const text = JSON.stringify(payload);
  const frame = startFrame(type, Buffer.byteLength(text));
  frame.write(text, headerBytes);
  return frame;
}

export function decodePayload(payload: Buffer): unknown {
  return JSON.parse(payload.toString());
}

export interface FrameReaderOptions {
  /** The largest payload accepted; a longer one is refused by its header alone. */
  readonly maxBytes: number;
  /** The payload may be a view on the chunk it came in: copy what is to outlive the chunk. */
  readonly onFrame: (type: string, payload: Buffer) => void;
  /** Called once, with the type of a frame that is too long; input after it is ignored. */
  readonly onError: (error: HostError, type?: string) => void;
}

export interface FrameReader {
  push(chunk: Buffer): void;
}

export function createFrameReader({ maxBytes, onFrame, onError }: FrameReaderOptions): FrameReader {
  const header = Buffer.alloc(headerBytes);
  let headerLength = 0;
  let body: Buffer | undefined;
  let bodyLength = 0;
  let broken = false;

  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length && !broken) at = body ? addToBody(body, chunk, at) : readHeader(chunk, at);
    },
  };

  function readHeader(chunk: Buffer, at: number): number {
    if (headerLength === 0 && chunk.length - at >= headerBytes) return startPayload(chunk, at, chunk, at + headerBytes);
    const taken = Math.min(headerBytes - headerLength, chunk.length - at);
    chunk.copy(header, headerLength, at, at + taken);
    headerLength += taken;
    if (headerLength < headerBytes) return at + taken;
    headerLength = 0;
    return startPayload(header, 0, chunk, at + taken);
  }

  function startPayload(from: Buffer, typeAt: number, chunk: Buffer, at: number): number {
    const type = from.readUInt8(typeAt);
    const length = from.readUInt32BE(typeAt + 1);
    if (length > maxBytes || type > 0x7f) {
      broken = true;
      onError(brokenFrame(type, length, maxBytes), type > 0x7f ? undefined : String.fromCharCode(type));
      return chunk.length;
    }
    if (chunk.length - at >= length) {
      onFrame(String.fromCharCode(type), chunk.subarray(at, at + length));
      return at + length;
    }
    header.writeUInt8(type, 0);
    header.writeUInt32BE(length, 1);
    body = Buffer.allocUnsafe(Math.min(length, firstRoomBytes));
    bodyLength = 0;
    return addToBody(body, chunk, at);
  }

  /** Room follows what has come, not what was announced, and tiny chunks cost no more than their bytes. */
  function addToBody(collected: Buffer, chunk: Buffer, at: number): number {
    const length = header.readUInt32BE(1);
    const taken = Math.min(length - bodyLength, chunk.length - at);
    const room = roomFor(collected, bodyLength, bodyLength + taken, length);
    chunk.copy(room, bodyLength, at, at + taken);
    bodyLength += taken;
    body = bodyLength < length ? room : undefined;
    if (!body) onFrame(String.fromCharCode(header.readUInt8(0)), room);
    return at + taken;
  }
}

function startFrame(type: string, length: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt8(type.charCodeAt(0), 0);
  frame.writeUInt32BE(length, 1);
  return frame;
}

function roomFor(collected: Buffer, used: number, needed: number, length: number): Buffer {
  if (collected.length >= needed) return collected;
  const room = Buffer.allocUnsafe(Math.min(length, Math.max(needed, collected.length * 2)));
  collected.copy(room, 0, 0, used);
  return room;
}

function brokenFrame(type: number, length: number, maxBytes: number): HostError {
  const message =
    type > 0x7f
      ? 'The Python process sent something that is not a message'
      : `The Python process announced a message of ${length} bytes; at most ${maxBytes} are accepted`;
  return new HostError('WIRE_BROKEN', message, { limit: maxBytes });
}
