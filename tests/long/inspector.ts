import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fixture } from '../engine/harness.js';

/** The Inspector, the browser and the server that the tests on MCP Inspector use. */
export const inspector = process.env.MCP_EXECUTION_INSPECTOR ?? '';
export const browser = process.env.MCP_EXECUTION_BROWSER ?? '';
export const command = 'dist/bin/mcp-exec.js';
export const script = fixture('gives_text_image_progress_and_errors.py');

export interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Inspector's command line on a server that is named by the words of its command, or by its address. */
export function inspectServer(server: readonly string[], words: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, [inspector, '--cli', ...server, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        texts[stream] += text;
      });
    }
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, ...texts }));
  });
}

export interface Page {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Inspector's web page on a server of the fixture. */
export async function startPage(port: number, home: string): Promise<Page> {
  const child = spawn(process.execPath, [inspector, '--web', process.execPath, command, 'serve', script], {
    env: { ...process.env, HOME: home, CLIENT_PORT: String(port), MCP_AUTO_OPEN_ENABLED: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url === undefined) continue;
    return {
      url,
      async close() {
        child.kill();
        await gone;
      },
    };
  }
  throw new Error('MCP Inspector ended before it named its address');
}
