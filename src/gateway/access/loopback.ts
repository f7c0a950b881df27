import { BlockList, isIP } from 'node:net';
import { CallerError } from '../../errors.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches the address. Names are not looked up: who answers for them may change. */
export function isLoopback(host: string): boolean {
  const address = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  if (family === 0) return address === 'localhost' || address === 'localhost.';
  return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Nobody listens to other machines by accident. */
export function refuseOpenBind(host: string, hasAuth: boolean): void {
  if (hasAuth || isLoopback(host)) return;
  const message =
    `Setting host: other machines reach ${host}, and nobody would have to prove who they are. ` +
    'Make a key with mcp-exec key NAME and configure it, or configure OAuth, or listen on 127.0.0.1';
  throw new CallerError('INVALID_SETTING', message, { setting: 'host' });
}
