/** One server in a client's file: how the client starts it. */
export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface OwnCommand {
  readonly node: string;
  /** The file of this command. */
  readonly bin: string;
  readonly version: string;
  readonly platform: NodeJS.Platform;
}

/** `words` come after `mcp-exec`. What npx fetched may be gone tomorrow, so it is to fetch the same version again. */
export function entryFor(own: OwnCommand, words: readonly string[], env: Readonly<Record<string, string>>): Entry {
  const isFetched = own.bin.split(/[\\/]/).includes('_npx');
  const npx = ['npx', '-y', '-p', `mcp-execution@${own.version}`, 'mcp-exec'];
  const start = isFetched ? (own.platform === 'win32' ? ['cmd', '/c', ...npx] : npx) : [own.node, own.bin];
  const [command = '', ...args] = [...start, ...words];
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}
