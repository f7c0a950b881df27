import { connect } from 'node:net';

/** A connection to this machine is there, or refused, at once. */
const longestMs = 1000;

/** Whether a connection to the address can be had. */
export function somebodyListens(address: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: port === '' ? usualPort(protocol) : Number(port), timeout: longestMs });
  return new Promise((resolve) => {
    const settle = (isSo: boolean) => {
      socket.destroy();
      resolve(isSo);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

function usualPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80;
}
