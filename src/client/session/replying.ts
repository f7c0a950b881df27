import type { RequestId } from '@modelcontextprotocol/client';
import type { Reply } from '../../testedserver.js';
import { serverFailed } from '../failures.js';
import type { Link } from '../link.js';

/** At an address each answer is a request of its own, and maybe a connection. */
const mostAtOnce = 8;
const mostWaiting = 10_000;

/** Sends what the server is told when it asks. Answers to an address take turns; a process takes its own time to read them. */
export function createReplying(link: Link): (id: RequestId, reply: Reply) => void {
  const waiting: (() => Promise<void>)[] = [];
  let underWay = 0;
  return (id, reply) => {
    const send = () => link.transport.send({ jsonrpc: '2.0', id, ...reply }).catch(() => {});
    if (link.process) return void send();
    if (underWay < mostAtOnce) return void takeTurns(send);
    if (waiting.push(send) <= mostWaiting) return;
    waiting.length = 0;
    void link.end(() =>
      serverFailed(`The MCP server asked more than ${mostWaiting} times before it took the answers, and was given up`),
    );
  };

  async function takeTurns(first: () => Promise<void>): Promise<void> {
    underWay += 1;
    for (let send: typeof first | undefined = first; send; send = waiting.shift()) await send();
    underWay -= 1;
  }
}
