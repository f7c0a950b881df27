import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, startGateway } from '../gateway/gateway-process.js';
import { createFolder } from '../interpreter/scripts.js';
import { tellFigure } from './figures.js';

const requests = 10_000;
const mayWait = 1000;
const mayRun = 4;
const script = join(import.meta.dirname, 'scripts', 'notes_each_call.py');

describe('10,000 requests at once', () => {
  it('are each answered: as many as may wait with a result, all others at once with 503 and when to try again', async () => {
    const notes = join(await createFolder(), 'notes');
    const flags = ['--concurrency', `${mayRun}`, '--queue-length', `${mayWait}`];
    const limits = [
      '--max-running-per-client',
      '20000',
      '--requests-per-second',
      '100000',
      '--max-connections',
      '20000',
    ];
    const { url, said } = await startGateway([script, ...flags, ...limits], { NOTES: notes });
    const agent = new Agent({ keepAlive: true, maxSockets: requests });
    onTestFinished(() => agent.destroy());
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, number) => ask(url, agent, { call: `call-${number}`, seconds: 0.01 })),
    );
    const unanswered = answers.flatMap(({ failure }) => failure ?? []);
    expect(unanswered, said()).toEqual([]);
    const done = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 503);
    const seen = `${done.length} done, ${refused.length} refused with when to try again`;
    await tellFigure('10,000 requests at once', 'each is answered', seen);
    expect(done.length + refused.length).toBe(requests);
    expect(done.length).toBeGreaterThanOrEqual(mayWait);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    expect(refused.every(({ text }) => text.includes('"QUEUE_FULL"'))).toBe(true);
    expect((await callTool(url, 'notes_each_call', 'note', { call: 'after' })).status).toBe(200);
  }, 180_000);
});

interface Answer {
  readonly status?: number;
  readonly retryAfter?: string;
  readonly text: string;
  /** Why there is no answer. */
  readonly failure?: string;
}

function ask(url: string, agent: Agent, body: object): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request(
      `${url}/api/v1/services/notes_each_call/tools/note`,
      { method: 'POST', agent, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], text }),
        );
      },
    );
    asked.on('error', ({ message }) => resolve({ text: '', failure: message })).end(JSON.stringify(body));
  });
}
