import type { FastifyInstance } from 'fastify';
import { CallerError } from '../../errors.js';

/** Connections that the system may hold until they are taken; it has a limit of its own. */
const mostUnaccepted = 4096;

/** Gives the address at which the gateway is reached. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port, backlog: mostUnaccepted });
  } catch (cause) {
    throw cannotListen(host, port, cause);
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use; choose another with --port, or 0 for one that is free',
  EACCES: 'may not be used by this user; choose one above 1023 with --port',
};

function cannotListen(host: string, port: number, cause: unknown): CallerError {
  const code = String(cause instanceof Error ? Reflect.get(cause, 'code') : cause);
  const isAddress = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND';
  const message = isAddress
    ? `--host: ${host} is no address of this machine`
    : `--port: port ${port} ${reasons[code] ?? `cannot be listened on (${code})`}`;
  return new CallerError('INVALID_SETTING', message, { setting: isAddress ? 'host' : 'port' }, { cause });
}
