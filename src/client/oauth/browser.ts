import { spawn } from 'node:child_process';

/** Opens a page in the person's browser, where there is one. Nothing tells whether it was seen. */
export function openBrowser(url: URL, environment: NodeJS.ProcessEnv): boolean {
  const command = browserCommand(process.platform, environment);
  if (command === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false;
  const [file, ...args] = command;
  const opener = spawn(file, [...args, url.href], { stdio: 'ignore', detached: true, env: environment });
  opener.on('error', () => {});
  opener.unref();
  return true;
}

/** Started without a shell, which would read signs in the address. */
export function browserCommand(
  platform: NodeJS.Platform,
  { DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
