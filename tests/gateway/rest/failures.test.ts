import { describe, expect, it } from 'vitest';
import { HostError } from '../../../src/errors.js';
import { FakeToolbox, text } from '../../server/fake-toolbox.js';
import { post, startRest } from './resting.js';

describe('a call by POST that fails', () => {
  it.each([
    ['EXCEPTION', 500],
    ['INVALID_ARGUMENTS', 422],
    ['TIMEOUT', 504],
    ['PERMISSION_DENIED', 403],
    ['CANCELLED', 499],
  ])('has the status of %s', async (code, status) => {
    const failed = { ...text(`${code}: It failed\n\nTraceback`), isError: true, code };
    const { url } = await startRest(new FakeToolbox({ work: () => failed }));
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({
      error: { code, message: 'It failed', advice: expect.any(String) },
      content: failed.content,
    });
  });

  it('is an exception where a server says no more than that it failed', async () => {
    const { url } = await startRest(new FakeToolbox({ work: () => ({ content: [], isError: true }) }));
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      error: { code: 'EXCEPTION', message: 'The tool failed and did not say why' },
      content: [],
    });
  });

  it('says when to come back', async () => {
    const toolbox = new FakeToolbox({
      work: () => {
        throw new HostError('QUEUE_FULL', 'Too many calls wait', { retryAfterMs: 2100 });
      },
    });
    const { url } = await startRest(toolbox);
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('3');
  });

  it('tells nothing of what was not foreseen but a reference', async () => {
    const toolbox = new FakeToolbox({
      work: () => {
        throw new Error('/home/somebody/secret');
      },
    });
    const { url, logged } = await startRest(toolbox);
    const answer = await post(`${url}/api/v1/services/demo/tools/work`);
    expect(answer.status).toBe(500);
    const { error } = (await answer.json()) as { error: { code: string; reference: string; message: string } };
    expect(error.code).toBe('INTERNAL');
    expect(error.message).not.toContain('secret');
    expect(logged.join()).toContain(error.reference);
  });

  it.each([
    ['broken JSON', '{"a":', {}, 400],
    ['a list', '[1]', {}, 400],
    ['a text', '"a"', {}, 400],
    ['a bottomless pit', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}, 400],
    ['a text of its own', '{}', { 'content-type': 'text/plain' }, 415],
    ['another content type', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['too large a body', `{"a":"${'x'.repeat(3000)}"}`, {}, 413],
    ['a time that is none', '{}', { 'x-timeout-ms': '0' }, 400],
    ['a priority that is none', '{}', { 'x-priority': 'high' }, 400],
    ['an endless key', '{}', { 'idempotency-key': 'x'.repeat(300) }, 400],
    ['a session with spaces', '{}', { 'x-session': 'a b' }, 400],
  ])('is refused for %s, before any tool is called', async (what, body, headers, status) => {
    const toolbox = new FakeToolbox({ work: () => text('') });
    const settings = what === 'too large a body' ? { maxBodyBytes: 2000 } : {};
    const { url } = await startRest(toolbox, { settings });
    const answer = await post(`${url}/api/v1/services/demo/tools/work`, body, headers);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(toolbox.calls).toEqual([]);
  });

  it('is refused for a body that is not UTF-8', async () => {
    const toolbox = new FakeToolbox({ work: () => text('') });
    const { url } = await startRest(toolbox);
    const answer = await fetch(`${url}/api/v1/services/demo/tools/work`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"a":"\xff"}', 'latin1'),
    });
    expect(answer.status).toBe(400);
    expect(toolbox.calls).toEqual([]);
  });

  it('is refused for an unknown service or tool', async () => {
    const { url } = await startRest(new FakeToolbox());
    expect((await post(`${url}/api/v1/services/nothing/tools/work`)).status).toBe(404);
    const unknown = await post(`${url}/api/v1/services/demo/tools/nothing`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  });
});
