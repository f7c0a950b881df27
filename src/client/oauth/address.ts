import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether tokens and codes may travel there: encrypted, or without leaving this machine. */
export function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** A server elsewhere has no business with what listens on this machine alone. */
export function mayBeAsked(address: URL, server: URL): boolean {
  if (!isPrivateWay(address) || address.username !== '' || address.password !== '') return false;
  return isLoopback(server.hostname) || !isLoopback(address.hostname);
}

function isLoopback(hostname: string): boolean {
  const address = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  if (family !== 0) return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
  return /(?:^|\.)localhost\.?$/.test(address);
}
