import type { Connection } from '../../src/client/connection.js';
import type { EndOptions, Reason } from '../../src/client/link.js';

/** A connection without a server: what a pool is tested on. */
export class FakeConnection implements Connection {
  readonly serverInfo = undefined;
  readonly instructions = undefined;
  readonly era = 'legacy';
  readonly ended: Promise<{ readonly wasAsked: boolean }>;
  readonly ends: { readonly reason: Reason; readonly how: EndOptions | undefined }[] = [];
  abandoned = 0;
  isOver = false;
  pings: 'answered' | 'unanswered' = 'answered';
  #resolveEnded: (end: { readonly wasAsked: boolean }) => void = () => {};

  constructor(readonly number: number) {
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  async listTools() {
    return { tools: [] };
  }

  async call() {
    return { content: [] };
  }

  async ping() {
    if (this.pings === 'unanswered') throw new Error('no answer');
  }

  async end(reason: Reason, how?: EndOptions) {
    this.ends.push({ reason, how });
    if (!this.isOver) this.#resolveEnded({ wasAsked: true });
    this.isOver = true;
  }

  crash() {
    this.isOver = true;
    this.#resolveEnded({ wasAsked: false });
  }
}
