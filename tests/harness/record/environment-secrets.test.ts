import { describe, expect, it } from 'vitest';
import { recordedSuite } from '../../../src/harness/record/recorded-suite.js';
import { createRecorder } from '../../../src/harness/record/recorder.js';
import { createSecrets } from '../../../src/harness/record/secrets.js';
import { writeSuite } from '../../../src/harness/record/writer.js';

const secret = 'open-sesame-17';
const environment = { API_TOKEN: secret, PASSWORD: 'no' };

describe('A secret of the environment', () => {
  it('is its variable wherever it stands, whatever its place is called', () => {
    const secrets = createSecrets(environment);
    expect(secrets.inValue({ note: `it is ${secret}!`, no: 'no' }, 'the call')).toEqual({
      note: `it is \${API_TOKEN}!`,
      no: 'no',
    });
    expect(secrets.variables).toEqual([{ name: 'API_TOKEN', where: 'the call', isSet: true }]);
  });

  it('is nowhere in a recorded suite, although the server is started with it and says it everywhere', () => {
    const recorder = createRecorder(environment);
    const hear = (from: 'client' | 'server', message: object) => recorder.hear(from, { jsonrpc: '2.0', ...message });
    hear('client', { id: 1, method: 'initialize', params: {} });
    hear('server', { id: 1, result: { serverInfo: { name: secret, version: secret }, capabilities: {} } });
    const params = { name: 'work', arguments: { note: `it is ${secret}`, [secret]: 1 } };
    hear('client', { id: 2, method: 'tools/call', params });
    const structuredContent = { [secret]: 1, said: `you said ${secret}`, fine: 'yes' };
    hear('server', { id: 2, result: { content: [{ type: 'text', text: 'x' }], structuredContent } });
    hear('client', { id: 4, method: 'resources/list' });
    const resources = [
      { uri: `notes://${secret}`, name: 'x' },
      { uri: 'notes://other?token=abcdef12', name: 'y' },
    ];
    hear('server', { id: 4, result: { resources: [...resources, { uri: 'notes://fine', name: 'z' }] } });
    hear('client', { id: 5, method: 'resources/read', params: { uri: 'notes://other?token=abcdef12' } });
    hear('server', { id: 5, result: { contents: [] } });
    hear('client', { id: 3, method: 'tools/call', params: { name: secret } });
    const server = { command: 'node', args: ['server.mjs', secret] };
    const { suite, notes, leftOut } = recordedSuite(recorder.heard(), { server, environment, file: 'suite.yaml' });
    const text = writeSuite(suite, notes);
    expect(text + JSON.stringify(leftOut)).not.toContain(secret);
    expect(text).not.toContain('abcdef12');
    expect(text).toContain("$.resources[?@.uri=='notes://fine']");
    expect(text).toContain(`args: [server.mjs, "\${API_TOKEN}"]`);
    expect(text).toContain(`note: it is \${API_TOKEN}`);
    expect(text).toContain('$.fine: "yes"');
  });
});
