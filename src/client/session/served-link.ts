import { restMs, within } from '../command/link.js';
import type { Link, Reason } from '../link.js';
import type { Life } from './served.js';
import { isUnreachable } from './waiting.js';

/** The way over HTTP to a process of this machine: how that ended says more than that a connection did. */
export function onProcess(link: Link, life: Life, letGo: () => Promise<void>): Link {
  const { transport } = link;
  let wasAsked = false;
  /** Whether there is a session: what fails before that is tried again. */
  let isMet = false;
  let onLost: Link['onLost'];
  const ended = link.ended.then(async () => {
    if (!wasAsked) await within(life.gone, restMs);
    const isCrash = !wasAsked && life.failure !== undefined;
    if (isMet) await letGo();
    return { wasAsked: !isCrash };
  });
  life.gone.then(() => life.failure && link.end(life.failure));
  waitForTheEndOf(life);

  return {
    transport,
    negotiation: link.negotiation,
    process: life.process,
    get failure(): Reason | undefined {
      return wasAsked ? link.failure : (life.failure ?? link.failure);
    },
    get isOver() {
      return life.failure !== undefined || link.isOver;
    },
    ended,
    get abandoned() {
      return link.abandoned;
    },
    hold: link.hold,
    giveUp: link.giveUp,
    answered: link.answered,
    onError: link.onError,
    isSessionLost: link.isSessionLost,
    explain: link.explain,
    get onLost() {
      return onLost;
    },
    set onLost(told) {
      isMet = true;
      onLost = told;
      link.onLost = async (token, why) => {
        await within(life.gone, restMs);
        told?.(token, why);
      };
    },
    lastWords() {
      const stderr = life.heard.lastWords().join('\n');
      return stderr === '' ? {} : { stderr };
    },
    async end(reason) {
      wasAsked ||= life.failure === undefined;
      await link.end(reason);
      await ended;
    },
  };

  /** A connection breaks a moment before it is known that the process is gone. */
  function waitForTheEndOf({ gone }: Life): void {
    const send = transport.send.bind(transport);
    transport.send = async (...sent) => {
      try {
        await send(...sent);
      } catch (error) {
        if (isMet && isUnreachable(error)) await within(gone, restMs);
        throw error;
      }
    };
  }
}
