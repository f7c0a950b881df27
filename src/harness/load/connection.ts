import { HostError } from '../../errors.js';
import type { TestedServer } from '../../testedserver.js';

const mostRenewals = 3;

/** A server that is had again after it was over, a few times. */
export class Connection {
  readonly #open: () => Promise<TestedServer>;
  readonly #ends: string[] = [];
  #current: Promise<TestedServer> | undefined;
  #failure: string | undefined;

  constructor(open: () => Promise<TestedServer>) {
    this.#open = open;
  }

  /** How it came to its end, each time that it did. */
  get ends(): readonly string[] {
    return this.#ends;
  }

  /** Why it is not to be had any more. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Undefined where it is not to be had any more. */
  async server(): Promise<TestedServer | undefined> {
    this.#current ??= this.#open();
    const asked = this.#current;
    try {
      const server = await asked;
      if (!server.isOver) return server;
      if (this.#current === asked) this.#current = this.#renewed(server);
      return await this.server();
    } catch (error) {
      this.#failure ??= error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }

  async #renewed(server: TestedServer): Promise<TestedServer> {
    this.#ends.push((await server.ended).message);
    if (this.#ends.length <= mostRenewals) return this.#open();
    throw new HostError('SERVER_FAILED', `It ended ${this.#ends.length} times under load and is not started again`);
  }

  /** Counts an end that nobody noticed, as it came with the last answers. */
  async finish(): Promise<void> {
    const server = await this.#current?.catch(() => undefined);
    if (server?.isOver) this.#ends.push((await server.ended).message);
  }

  async close(): Promise<void> {
    const server = await this.#current?.catch(() => undefined);
    await server?.close();
  }
}
