import { randomBytes } from 'node:crypto';

export interface StoredResult {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  /** Text is stored as UTF-8, so that parts of it are named in bytes like those of anything else. */
  readonly isText: boolean;
  readonly data: Buffer;
}

export interface ResultStore {
  put(result: Omit<StoredResult, 'uri'>): StoredResult;
  get(uri: string): StoredResult | undefined;
  list(): readonly StoredResult[];
}

export interface ResultStoreOptions {
  readonly maxResults?: number;
  readonly maxBytes?: number;
}

export const resultScheme = 'mcp-exec://results/';

/** Keeps the results that were too large to be shown whole. The oldest go first; the newest is always kept. */
export function createResultStore(options: ResultStoreOptions = {}): ResultStore {
  const { maxResults = 64, maxBytes = 128 * 1024 * 1024 } = options;
  const results = new Map<string, StoredResult>();
  let bytes = 0;

  return {
    put(result) {
      const stored = { ...result, uri: `${resultScheme}${randomBytes(9).toString('base64url')}` };
      results.set(stored.uri, stored);
      bytes += stored.data.length;
      for (const oldest of results.values()) {
        if ((results.size <= maxResults && bytes <= maxBytes) || oldest === stored) break;
        results.delete(oldest.uri);
        bytes -= oldest.data.length;
      }
      return stored;
    },
    get: (uri) => results.get(uri),
    list: () => [...results.values()],
  };
}
