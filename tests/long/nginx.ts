import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { folderWith } from '../engine/harness.js';

/** The nginx of this machine, if it has one. */
export const nginx = findNginx();

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** nginx before a gateway, configured as little as can be: it buffers answers unless it is told otherwise. */
export async function startProxy(upstream: string, readTimeout = '60s'): Promise<Proxy> {
  const folder = folderWith({});
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const config = join(folder, 'nginx.conf');
  await writeFile(
    config,
    `daemon off;
master_process off;
pid ${join(folder, 'pid')};
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_read_timeout ${readTimeout};
    }
  }
}
`,
  );
  let stop = async () => {};
  const start = async () => {
    const child = spawn(nginx, ['-c', config, '-p', folder, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(-2000);
    });
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
    stop = async () => {
      child.kill();
      await gone;
    };
    await vi.waitFor(() => reach(port, complaint), { timeout: 10_000 });
  };
  onTestFinished(() => stop());
  await start();
  return { url: `http://127.0.0.1:${port}`, start, stop: () => stop() };
}

function findNginx(): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const found = folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
  return process.env.MCP_EXECUTION_NGINX ?? found ?? '';
}

function reach(port: number, complaint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => reject(new Error(`nginx does not listen: ${complaint}`)));
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
