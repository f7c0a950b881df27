import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const bin = join(import.meta.dirname, '../../dist/bin/mcp-exec.js');

export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it wrote to stderr so far. */
  readonly said: () => string;
  readonly child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** The built command as a process of its own, on a free port, until the test ends. */
export async function startGateway(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [bin, 'gateway', ...args, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let said = '';
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  onTestFinished(() => kill());
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-1_000_000);
      const found = /http:\/\/[^\s/]+:\d+/.exec(said)?.[0];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)));
  });
  return { url, pid: child.pid ?? -1, said: () => said, child, kill };
}

export interface RestAnswer {
  readonly status: number;
  readonly body: { readonly structuredContent?: object; readonly error?: { readonly code: string } };
}

/** One call over plain REST. */
export async function callTool(
  url: string,
  service: string,
  tool: string,
  args: object,
  init: RequestInit = {},
): Promise<RestAnswer> {
  const response = await fetch(`${url}/api/v1/services/${service}/tools/${tool}`, {
    method: 'POST',
    body: JSON.stringify(args),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
  return { status: response.status, body: (await response.json()) as RestAnswer['body'] };
}

export async function listServices(url: string): Promise<string[]> {
  const answer = await (await fetch(`${url}/api/v1/services`)).json();
  return (answer as { services: { id: string }[] }).services.map(({ id }) => id).sort();
}
