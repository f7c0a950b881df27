import type { IncomingMessage } from 'node:http';
import { CallerError } from '../../errors.js';
import type { GatewaySettings } from '../settings.js';
import { isLoopback } from './loopback.js';

export interface HostCheckOptions {
  readonly settings: () => GatewaySettings;
  /** The public address of the gateway, where it is known. */
  readonly publicAddress: () => string | undefined;
}

export interface HostCheck {
  /** Throws where the request was sent to another name, or by a web page that may not. */
  check(request: IncomingMessage): void;
  isCorsOrigin(origin: string | undefined): boolean;
}

/** Keeps web pages from reaching the gateway through a name of theirs that leads to it, or straight from another origin. */
export function createHostCheck({ settings, publicAddress }: HostCheckOptions): HostCheck {
  let allowed = allowedBy(settings(), publicAddress());

  return {
    check(request) {
      const { names, origins } = current();
      const host = hostOf(request);
      if (!names.has(host.name) && !isAddressOf(request, host.name)) {
        const message = `${JSON.stringify(host.name.slice(0, 100))} is no name of this gateway; whoever runs it can add it to allowedHosts`;
        throw new CallerError('NOT_ALLOWED', message);
      }
      const { origin } = request.headers;
      if (origin === undefined || origin === '') return refuseForeignLoad(request);
      if (origins.has(origin) || isSameOrigin(origin, host.text)) return;
      const message =
        'Web pages of this origin may not use the gateway; whoever runs it can add the origin to corsOrigins';
      throw new CallerError('NOT_ALLOWED', message);
    },
    isCorsOrigin: (origin) => origin !== undefined && current().origins.has(origin),
  };

  function current(): Allowed {
    if (allowed.settings !== settings() || allowed.publicAddress !== publicAddress()) {
      allowed = allowedBy(settings(), publicAddress());
    }
    return allowed;
  }
}

/** Throws INVALID_SETTING for names and origins that no request could ever have. */
export function checkHostSettings({ allowedHosts, corsOrigins }: GatewaySettings): void {
  for (const host of allowedHosts) {
    if (usableName(host) !== undefined) continue;
    refuse('allowedHosts', `${JSON.stringify(host)} is no host name; write it as in gateway.example.com`);
  }
  for (const origin of corsOrigins) {
    if (originOf(origin) !== undefined) continue;
    refuse('corsOrigins', `${JSON.stringify(origin)} is no origin; write it as in https://app.example.com`);
  }
}

function refuse(setting: 'allowedHosts' | 'corsOrigins', message: string): never {
  throw new CallerError('INVALID_SETTING', `Setting ${setting}: ${message}`, { setting });
}

interface Allowed {
  readonly settings: GatewaySettings;
  readonly publicAddress: string | undefined;
  readonly names: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

function allowedBy(settings: GatewaySettings, publicAddress: string | undefined): Allowed {
  const publicUrl = publicAddress === undefined ? undefined : new URL(publicAddress);
  const names = ['localhost', '127.0.0.1', '[::1]', settings.host, ...settings.allowedHosts, publicUrl?.host ?? ''];
  const origins = [...settings.corsOrigins, publicUrl?.origin ?? ''];
  return {
    settings,
    publicAddress,
    names: new Set(names.flatMap((name) => usableName(name) ?? [])),
    origins: new Set(origins.flatMap((origin) => originOf(origin) ?? [])),
  };
}

function hostOf(request: IncomingMessage): { readonly name: string; readonly text: string } {
  const text = request.headers.host ?? '';
  const name = hasOneHost(request.rawHeaders) ? nameOf(text) : undefined;
  if (name !== undefined) return { name, text };
  throw new CallerError('INVALID_REQUEST', 'The header Host is missing, doubled, or no name of a host');
}

/** Node keeps the first of two and says nothing; whoever stands in front may have looked at the other. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count <= 1;
}

const hostForm = /^(?:(\[[0-9a-f:.]+\])|([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)\.?)(?::(\d{1,5}))?$/;
const lastPort = 65_535;
const bareIpv6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/;

/** In small letters, without port and without the dot of the root. */
function nameOf(host: string): string | undefined {
  const text = host.toLowerCase();
  const match = hostForm.exec(bareIpv6.test(text) ? `[${text}]` : text);
  const [, ipv6, name, port = '0'] = match ?? [];
  if (Number(port) > lastPort) return undefined;
  return ipv6 === undefined ? name : shortestIpv6(ipv6);
}

/** Of what is configured, only what addresses can be made of: 1.2.3.999 looks like a name and is none. */
function usableName(host: string): string | undefined {
  const name = nameOf(host);
  return name !== undefined && URL.canParse(`http://${name}`) ? name : undefined;
}

function shortestIpv6(address: string): string | undefined {
  return URL.canParse(`http://${address}`) ? new URL(`http://${address}`).hostname : undefined;
}

/** A gateway that listens on all addresses is reached by each of them. */
function isAddressOf({ socket }: IncomingMessage, name: string): boolean {
  const address = socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  return address !== undefined && nameOf(address) === name;
}

function originOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  if (url.pathname.length > 1 || url.search || url.hash || url.username || url.password || !url.host) return undefined;
  return `${url.protocol}//${url.host}`;
}

/** localhost and its addresses are one place: only the port tells who serves there. */
function isSameOrigin(origin: string, host: string): boolean {
  if (originOf(origin) !== origin || !/^https?:/.test(origin)) return false;
  const from = new URL(origin);
  const to = new URL(`${from.protocol}//${host}`);
  const isSameName = nameOf(from.host) === nameOf(to.host) || (isLoopback(from.hostname) && isLoopback(to.hostname));
  return isSameName && from.port === to.port;
}

/** Images and scripts of a foreign page are asked for without an origin; newer browsers say so. */
function refuseForeignLoad({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return;
  if (headers['sec-fetch-mode'] === 'navigate') return;
  throw new CallerError('NOT_ALLOWED', 'Web pages of another origin may not load this');
}
