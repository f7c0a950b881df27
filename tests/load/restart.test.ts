import { describe, expect, it } from 'vitest';
import { callTool, type GatewayProcess, listServices, startGateway } from '../gateway/gateway-process.js';
import { createFolder } from '../interpreter/scripts.js';
import { tellFigure } from './figures.js';

const count = 5;

describe('a gateway that was killed', () => {
  it('has all uploaded services again when it is started again', async () => {
    const data = await createFolder();
    const first = await startGateway(['--data', data]);
    for (let number = 0; number < count; number++) await upload(first, number);
    await first.kill('SIGKILL');
    const second = await startGateway(['--data', data]);
    expect(await listServices(second.url)).toEqual(Array.from({ length: count }, (_, number) => `service-${number}`));
    for (let number = 0; number < count; number++) {
      const { body } = await callTool(second.url, `service-${number}`, 'number', {});
      expect(body.structuredContent).toEqual({ result: number });
    }
  }, 60_000);

  it('loses no service that it had confirmed, wherever the kill hit it', async () => {
    const data = await createFolder();
    const confirmed = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const gateway = await startGateway(['--data', data]);
      expect(await listServices(gateway.url)).toEqual(expect.arrayContaining([...confirmed]));
      const uploads = Array.from({ length: 4 }, async (_, number) => {
        const id = `service-${round * 4 + number}`;
        if ((await upload(gateway, round * 4 + number).catch(() => 0)) === 201) confirmed.add(id);
      });
      await Promise.race(uploads);
      await gateway.kill('SIGKILL');
      await Promise.all(uploads);
    }
    const seen = `${confirmed.size} confirmed in 4 rounds, none lost`;
    await tellFigure('uploaded services after kill -9', 'all are back', seen);
    expect(confirmed.size).toBeGreaterThanOrEqual(4);
  }, 120_000);
});

async function upload({ url }: GatewayProcess, number: number): Promise<number> {
  const response = await fetch(`${url}/api/v1/services?id=service-${number}`, {
    method: 'POST',
    headers: { 'content-type': 'text/x-python' },
    body: `def number() -> int:\n    return ${number}\n`,
  });
  await response.text();
  return response.status;
}
