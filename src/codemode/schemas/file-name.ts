import { createHash } from 'node:crypto';

/** The name of a file for a server of any name. No two have the same, even where the case of letters does not count. */
export function schemaFileName(server: string): string {
  if (plainName.test(server) && !reservedOnWindows.test(server)) return `${server}.json`;
  const readable = server
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  const hash = createHash('sha256').update(server, 'utf16le').digest('hex').slice(0, 16);
  // plain names have no dot
  return `${readable}.${hash}.json`;
}

const plainName = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const reservedOnWindows = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
