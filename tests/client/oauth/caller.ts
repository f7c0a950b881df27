import { createServerToolbox } from '../../../src/client/client.js';
import { createLogins } from '../../../src/client/oauth/logins.js';

const [, , url = '', folder = ''] = process.argv;
const toolbox = createServerToolbox({ kind: 'url', url }, { logins: createLogins({ folder }) });
try {
  const calls = await Promise.all([1, 2, 3].map((n) => toolbox.call('echo', { n })));
  process.stdout.write(JSON.stringify({ calls: calls.length }));
} catch (error) {
  process.stdout.write(String(error));
} finally {
  await toolbox.close();
}
