import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of an archive made by hand, with whatever lies it is to tell. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly data?: Buffer | string;
  /** Stored as it is unless said. */
  readonly deflated?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly claimedSize?: number;
  readonly claimedCompressed?: number;
  readonly headerOffset?: number;
  /** The rights and type of a Unix file. */
  readonly mode?: number;
  readonly extra?: Buffer;
}

/** An archive byte by byte, as no honest tool would write it. */
export function rawArchive(
  entries: readonly RawEntry[],
  end: { readonly count?: number; readonly zip64?: Buffer } = {},
) {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = recordsOf(entry, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const tail = Buffer.alloc(22);
  tail.writeUInt32LE(0x06054b50, 0);
  tail.writeUInt16LE(end.count ?? entries.length, 8);
  tail.writeUInt16LE(end.count ?? entries.length, 10);
  tail.writeUInt32LE(directory.length, 12);
  tail.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end.zip64 ?? Buffer.alloc(0), tail]);
}

function recordsOf(entry: RawEntry, offset: number): { readonly local: Buffer; readonly central: Buffer } {
  const name = Buffer.from(entry.name);
  const plain = Buffer.from(entry.data ?? '');
  const data = entry.deflated ? deflateRawSync(plain, { level: 9 }) : plain;
  const extra = entry.extra ?? Buffer.alloc(0);
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(entry.flags ?? 0x800, 2);
  facts.writeUInt16LE(entry.method ?? (entry.deflated ? 8 : 0), 4);
  facts.writeUInt32LE(entry.crc ?? crc32(plain), 10);
  facts.writeUInt32LE(entry.claimedCompressed ?? data.length, 14);
  facts.writeUInt32LE(entry.claimedSize ?? plain.length, 18);
  facts.writeUInt16LE(name.length, 22);
  facts.writeUInt16LE(extra.length, 24);
  const local = Buffer.concat([uint32(0x04034b50), facts, name, extra, data]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6);
  rest.writeUInt32LE(entry.headerOffset ?? offset, 10);
  const madeOnUnix = Buffer.from([20, 3]);
  const central = Buffer.concat([uint32(0x02014b50), madeOnUnix, facts, rest, name, extra]);
  return { local, central };
}

/** The locator and the record that stand before the end of an archive beyond 4 GB. */
export function zip64End(recordOffset: bigint, directoryOffset: bigint, count: bigint): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(count, 32);
  record.writeBigUInt64LE(directoryOffset, 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(recordOffset, 8);
  return Buffer.concat([record, locator]);
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
