import { type Command, InvalidArgumentError } from 'commander';

const largestPort = 65_535;

/** What `mcp-exec serve` and the server of an export both take. */
export function addServeFlags(command: Command): Command {
  return command
    .option('--partial', 'also write {"id":…,"partial":true,…} for each event of a call; not for MCP clients')
    .option('--health-port <port>', 'answer http://127.0.0.1:PORT/health; 0 takes a free port', toPort);
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= largestPort) return port;
  throw new InvalidArgumentError(`A port is a number from 0 to ${largestPort}.`);
}
