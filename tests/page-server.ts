import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that a page starts, and that its next commands talk to. */
export interface PageServer {
  /** What it said until it was ready. */
  readonly said: string;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<void>;
}

export interface PageServerPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The last line of what a gateway says of itself. */
const lastLine = /^MCP: .*\n/m;

export async function startPageServer(command: string, place: PageServerPlace): Promise<PageServer> {
  const child = spawn('bash', ['-c', `exec 2>&1\nexec ${command}`], { ...place, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (lastLine.test(said)) return;
      said += text;
      if (lastLine.test(said)) resolve();
    });
    gone.then(() => reject(new Error(`${command} ended: ${said}`)), reject);
  });
  return {
    said,
    async stop() {
      child.kill('SIGINT');
      await gone;
    },
  };
}
