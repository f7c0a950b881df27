import type { Command } from 'commander';
import { gatewaySettingFamily } from '../gateway/config/family.js';
import { reportFailure } from './failure.js';
import type { GatewayFlags } from './gateway-plan.js';
import type { SetExitCode } from './program.js';
import { addFlags, type Groups, givenSettings, readFlags } from './settings.js';
import type { Terminal } from './terminal.js';

const groups: Groups = {
  'The gateway:': ['host', 'port', 'data', 'allowedHosts', 'corsOrigins', 'trustProxy', 'accessLog', 'drainMs'],
  'Limits of clients:': [
    'maxBodyBytes',
    'maxUploadBytes',
    'maxUnpackedBytes',
    'maxUnpackedFiles',
    'bodyTimeoutMs',
    'maxConnections',
    'maxStreamsPerClient',
    'requestsPerSecond',
    'maxRunningPerClient',
    'maxServicesPerClient',
    'maxDiskBytesPerClient',
  ],
  'Streams, caches and checks:': [],
};

const details = `
Each script is a service, whose id is the name of its file without .py; of a folder, each script in it that has a tool. Other
MCP servers are added by --command and --url, or in a config file, which may say everything that flags say, and more:
  { "port": 8080,
    "services": {
      "words": { "script": "word_count.py" },
      "git":   { "command": "uvx", "args": ["mcp-server-git"] },
      "far":   { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } } },
    "settings": { "timeoutMs": 10000 } }
A flag wins over its variable (MCP_EXECUTION_GATEWAY_PORT), which wins over the file. The file is read again when it changes.

SIGTERM and Ctrl-C let calls under way finish; the second one ends at once. SIGHUP reads the config file again and opens log files
anew. On an address that other machines reach, keys or OAuth have to be configured: mcp-exec key makes keys.

Examples:
  $ mcp-exec gateway examples/word-count/word_count.py examples/invoice/invoice.py
  $ mcp-exec gateway scripts/ --port 9000 --watch
  $ mcp-exec gateway --command 'git=uvx mcp-server-git' --url far=https://example.com/mcp
  $ mcp-exec gateway --data /var/lib/mcp --config gateway.json --access-log -`;

export function addGateway(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  const gateway = program
    .command('gateway')
    .summary('serve scripts and MCP servers over HTTP')
    .description(
      'Serves many scripts and MCP servers to many clients: MCP, JSON-RPC, REST and event streams over HTTP.',
    )
    .argument('[scripts...]', 'Python files, folders of them, or manifests')
    .option('--config <file>', 'read settings, services and keys from this file')
    .option('--command <id=command>', 'serve an MCP server that is started by this command; may be repeated', addWord)
    .option('--url <id=url>', 'serve the MCP server at this address; may be repeated', addWord)
    .option('--watch', 'pick up edits of scripts without a restart');
  addFlags(gateway, gatewaySettingFamily, groups);
  gateway
    .addHelpText('after', details)
    .action(async (targets: readonly string[], flags: GatewayFlags, command: Command) => {
      try {
        const { environment } = terminal;
        const engine = givenSettings(command, environment);
        const gatewaySettings = readFlags(command, gatewaySettingFamily, environment);
        // A file of its own in the package: what it throws is told of there.
        const { runGateway } = await import('./gatewaying.js');
        setExitCode(await runGateway({ targets, flags, engine, gateway: gatewaySettings }, terminal));
      } catch (error) {
        setExitCode(reportFailure(error, terminal));
      }
    });
}

function addWord(word: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, word];
}
