import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { settingsSchema } from '../../src/config.js';
import { createGateway } from '../../src/gateway/gateway.js';
import { createLog } from '../../src/log.js';
import { discover } from '../../src/manifest/discover.js';
import { writeManifest } from '../../src/manifest/read-write.js';
import { createOpener } from '../../src/services/open.js';
import type { JsonObject } from '../../src/toolbox.js';
import { fixture } from '../engine/harness.js';

export interface Suite {
  readonly version: string;
  /** The flags that choose what is run of it. */
  readonly scenarios: readonly string[];
  readonly node: string;
  readonly program: string;
}

/** What `scripts/conformance.mjs` has installed. */
export const suites: readonly Suite[] = JSON.parse(process.env.MCP_EXECUTION_CONFORMANCE ?? '[]');

/** A gateway that serves the scripts of the suite until the test ends; its MCP address. */
export async function serveConformanceScripts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const log = createLog({ level: 'error' });
  const opener = createOpener({ settings: settingsSchema.parse({}), log });
  const manifest = join(folder, 'conformance.json');
  await writeEditedManifest(manifest);
  const gateway = await createGateway({
    open: opener.open,
    settings: { port: 0 },
    services: [{ id: 'conformance', source: { kind: 'script', targets: [manifest] } }],
    log,
  });
  onTestFinished(async () => {
    await gateway.close();
    await opener.close();
    await rm(folder, { recursive: true });
  });
  return `${gateway.url}/api/v1/mcp/conformance`;
}

/** A manifest may say of the arguments of a tool what no annotation can. */
async function writeEditedManifest(file: string): Promise<void> {
  const found = await discover(fixture('conformance/conformance.py'));
  const inputSchema: JsonObject = JSON.parse(await readFile(fixture('conformance/schema.json'), 'utf8'));
  const tools = found.tools.map((tool) =>
    tool.name === 'json_schema_2020_12_tool' ? { ...tool, inputSchema } : { ...tool, enabled: true },
  );
  await writeManifest({ ...found, tools }, file);
}

/** Runs a suite against an address: what it exits with, and all that it said. */
export function runSuite(suite: Suite, url: string, baseline: string) {
  const { node, program, scenarios } = suite;
  const args = [program, 'server', '--url', url, '--expected-failures', baseline, ...scenarios];
  return new Promise<{ readonly exitCode: number | null; readonly said: string }>((resolve, reject) => {
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, said }));
  });
}
