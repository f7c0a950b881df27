import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

interface Asked {
  readonly count: number;
  readonly request: IncomingMessage;
}

/**
 * Judges requests that were not here in time. What came while the gateway itself was held up is read first; a request of which
 * a part came so has as much time again.
 */
export function judgeArrivals(server: Server, moreMs: number): (socket: Socket, giveUp: () => void) => void {
  const lastOf = new WeakMap<Socket, Asked>();
  server.on('request', (request: IncomingMessage) => {
    lastOf.set(request.socket, { request, count: countOf(request.socket) + 1 });
  });
  return (socket, giveUp) => {
    const last = lastOf.get(socket);
    const awaited = last && !last.request.complete ? last.count : countOf(socket) + 1;
    const bytes = socket.bytesRead;
    const giveUpUnlessArrived = () => {
      if (!hasArrived(socket, awaited)) giveUp();
    };
    afterReading(() => {
      if (socket.bytesRead === bytes) return giveUpUnlessArrived();
      const timer = setTimeout(afterReading, moreMs, giveUpUnlessArrived);
      socket.once('close', () => clearTimeout(timer));
    });
  };

  function countOf(socket: Socket): number {
    return lastOf.get(socket)?.count ?? 0;
  }

  function hasArrived(socket: Socket, number: number): boolean {
    const last = lastOf.get(socket);
    return last !== undefined && (last.count > number || (last.count === number && last.request.complete));
  }
}

/** Timers come first in a turn of the loop, then what waits to be read, then this. */
function afterReading(work: () => void): void {
  setImmediate(work);
}
