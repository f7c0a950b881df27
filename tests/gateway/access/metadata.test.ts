import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { keyFor, startAccessApp } from './access-app.js';
import { bearer, resource, startWithIssuer } from './issuer.js';

describe('what clients are told', () => {
  it('a request without a token is answered with where to read on and what to ask for', async () => {
    const { app } = await startWithIssuer();
    const at = async (path: string, method = 'GET') => (await app.ask(path, { method })).headers['www-authenticate'];
    const wellKnown = `${resource}/.well-known/oauth-protected-resource`;
    expect(await at('/upload')).toBe(
      `Bearer realm="mcp-execution", scope="mcp:upload", resource_metadata="${wellKnown}"`,
    );
    expect(await at('/mcp', 'POST')).toContain(`resource_metadata="${wellKnown}/mcp"`);
    expect(await at('/api/v1/mcp/sales', 'POST')).toContain(`resource_metadata="${wellKnown}/api/v1/mcp/sales"`);
    expect(await at('/api/v1/mcp/%22x', 'POST')).toContain(`resource_metadata="${wellKnown}"`);
  });

  it('a token without the scope is answered with the scopes to ask for, old ones included', async () => {
    const { key, app } = await startWithIssuer();
    const answer = await app.ask('/upload', bearer(await key.sign()));
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="mcp:call mcp:upload"/);
  });

  it.each([
    ['', resource],
    ['/mcp', `${resource}/mcp`],
    ['/sse', `${resource}/sse`],
    ['/api/v1/mcp/sales', `${resource}/api/v1/mcp/sales`],
    ['/api/v1/sse/sales', `${resource}/api/v1/sse/sales`],
    ['/', resource],
  ])('the metadata at …%s are open to all and describe %s', async (path, described) => {
    const { app, issuer } = await startWithIssuer();
    const { status, json } = await app.ask(`/.well-known/oauth-protected-resource${path}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      resource: described,
      resource_name: 'mcp-execution',
      authorization_servers: [issuer.url],
      scopes_supported: ['mcp:call', 'mcp:upload', 'mcp:admin'],
      bearer_methods_supported: ['header'],
    });
  });

  it.each(['/nothing', '/api/v1/mcp', '/api/v1/mcp/a/b', '/api/v1/mcp/%3Cscript%3E', '/mcp/mcp'])(
    'there are no metadata for %s',
    async (path) => {
      const { app } = await startWithIssuer();
      expect((await app.ask(`/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    },
  );

  it('there are none without an issuer', async () => {
    const app = await startAccessApp({ keys: [keyFor().entry] });
    expect((await app.ask('/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  it('the official client finds its way from the refusal to the issuer, and back with a token', async () => {
    const { issuer, key, app, oauth } = await startWithIssuer();
    app.change({ oauth: { ...oauth, resource: undefined } });
    const address = `http://localhost:${app.port}/api/v1/mcp/sales`;
    const refused = await fetch(address, { method: 'POST' });
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
    expect(scope).toBe('mcp:call');
    for (const options of [{}, { resourceMetadataUrl }]) {
      const metadata = await discoverOAuthProtectedResourceMetadata(address, options);
      expect(metadata).toMatchObject({ resource: address, authorization_servers: [issuer.url] });
    }
    const token = await key.sign({ aud: address });
    const answer = await fetch(address, { method: 'POST', headers: bearer(token).headers });
    expect(answer.status).toBe(200);
  });

  it('a public address with a path is kept in all that is told', async () => {
    const { app, oauth } = await startWithIssuer();
    app.change({ oauth: { ...oauth, resource: 'https://example.com/gw/' } });
    const metadata = 'https://example.com/.well-known/oauth-protected-resource/gw';
    expect((await app.ask('/mcp', { method: 'POST' })).headers['www-authenticate']).toContain(`"${metadata}/mcp"`);
    expect((await app.ask('/call')).headers['www-authenticate']).toContain(`"${metadata}"`);
    for (const [path, described] of [
      ['/gw/mcp', 'https://example.com/gw/mcp'],
      ['/gw', 'https://example.com/gw'],
      ['', 'https://example.com/gw'],
    ]) {
      const { json } = await app.ask(`/.well-known/oauth-protected-resource${path}`);
      expect(json).toMatchObject({ resource: described });
    }
  });
});
