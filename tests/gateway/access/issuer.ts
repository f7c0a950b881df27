import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { startAccessApp } from './access-app.js';

export interface Issuer {
  readonly url: string;
  readonly jwksUri: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  readonly keys: JWK[];
  /** What paths are answered with instead; a number is a status without more. */
  readonly answers: Map<string, number | object>;
  /** A new key pair, whose public half is published. */
  addKey(kid: string): Promise<SigningKey>;
  close(): Promise<void>;
}

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK & { readonly kty: string };
  readonly privateKey: CryptoKey;
  /** A good token but for what is changed; undefined leaves a claim out. */
  sign(changes?: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** An authorization server that publishes keys, until the test ends. */
export async function startIssuer(path = ''): Promise<Issuer> {
  const asked: string[] = [];
  const keys: JWK[] = [];
  const answers = new Map<string, number | object>();
  const server = createServer((request, response) => {
    const at = request.url ?? '';
    asked.push(at);
    const answer = answers.get(at) ?? (at === '/keys' ? { keys } : 404);
    if (typeof answer === 'number') return response.writeHead(answer).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${path}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { url, jwksUri: `http://127.0.0.1:${port}/keys`, asked, keys, answers, addKey, close };

  async function addKey(kid: string): Promise<SigningKey> {
    const key = await createSigningKey(url, kid);
    keys.push(key.publicJwk);
    return key;
  }
}

export async function createSigningKey(issuer: string, kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const { kty = '', ...jwk } = await exportJWK(publicKey);
  const publicJwk = { ...jwk, kty, kid, alg, use: 'sig' };
  return {
    kid,
    publicJwk,
    privateKey,
    sign: (changes = {}, header = {}) =>
      new SignJWT({ ...goodClaims(issuer), ...changes }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

export const resource = 'http://localhost:8080';

export function goodClaims(issuer: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: resource, sub: 'ada', scope: 'openid mcp:call', iat: now, exp: now + 300 };
}

export function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** A gateway that takes the tokens of an issuer with one key. */
export async function startWithIssuer() {
  const issuer = await startIssuer();
  const key = await issuer.addKey('one');
  const oauth = { issuer: issuer.url, jwksUri: issuer.jwksUri, resource };
  const app = await startAccessApp({ oauth });
  return { issuer, key, app, oauth };
}
