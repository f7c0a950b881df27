import type { Manifest } from '../../manifest/manifest.js';
import { pythonFor, summaryOf } from './bundle-manifest.js';
import type { BundleNames } from './bundle-names.js';

/** README.md of an export: for whoever gets it and knows nothing of how it was made. */
export function readmeOf({ name, version, description }: BundleNames, manifest: Manifest): string {
  const packages = [...new Set(manifest.scripts.flatMap(({ dependencies }) => dependencies?.packages ?? []))].sort();
  return `# ${name}

${plainly(description)}

An MCP server, version ${version}. It needs [Node.js](https://nodejs.org) 20.19 or newer and [Python](https://www.python.org) ${pythonFor(manifest).replace(/^>=\s*([\d.]+)$/, '$1 or newer')}, and nothing else.
${packages.length === 0 ? '' : `\nThe first call installs these packages into a folder of their own, once: ${packages.map((one) => `\`${one}\``).join(', ')}. That needs a network and may take a minute.\n`}
## Tools

| tool | what it does |
| --- | --- |
${toolRows(manifest)}

## Run it

\`\`\`sh
node server.mjs
\`\`\`

It speaks MCP on standard input and output, so it waits for a client. \`node server.mjs --help\` lists its settings, for example:

\`\`\`sh
node server.mjs --profile strict      # the tools read only their own folder and have no network
node server.mjs --python python3.12   # another Python
\`\`\`

To look at it by hand: \`npx @modelcontextprotocol/inspector node server.mjs\`

## Add it to a client

Write the whole path of this folder in the place of \`/path/to/${name}\`.

**Claude Desktop** (Settings, Developer, Edit Config), **Cursor** (\`~/.cursor/mcp.json\`) and **Windsurf** (\`~/.codeium/windsurf/mcp_config.json\`):

\`\`\`json
${JSON.stringify({ mcpServers: { [name]: entryOf(name) } }, null, 2)}
\`\`\`

Claude Desktop also opens this export as an MCP Bundle: pack the folder with \`npx @anthropic-ai/mcpb pack\`, then open the \`.mcpb\` file.

**Claude Code**:

\`\`\`sh
claude mcp add ${name} -- node /path/to/${name}/server.mjs
\`\`\`

**VS Code** (\`.vscode/mcp.json\`, or the command "MCP: Open User Configuration"):

\`\`\`json
${JSON.stringify({ servers: { [name]: { type: 'stdio', ...entryOf(name) } } }, null, 2)}
\`\`\`

**Codex** (\`~/.codex/config.toml\`):

\`\`\`toml
[mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]
command = "node"
args = ["/path/to/${name}/server.mjs"]
\`\`\`

## What is in this folder

| file | |
| --- | --- |
| \`scripts/\` | the Python code of the tools |
| \`tools.json\` | the tools: names, schemas, descriptions. \`"enabled": false\` takes one away |
| \`server.mjs\`, \`python/\` | the server |
| \`manifest.json\` | what clients read that install MCP Bundles |
`;
}

function toolRows({ tools }: Manifest): string {
  const rows = tools
    .filter(({ enabled }) => enabled)
    .map((tool) => `| \`${tool.name}\` | ${plainly(summaryOf(tool))} |`);
  return rows.join('\n');
}

/** Text of a script on one line, of which nothing is markup but what reads well as it is: emphasis and code. */
function plainly(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\\?\|/g, '\\|').replaceAll('<', '&lt;');
}

function entryOf(name: string): object {
  return { command: 'node', args: [`/path/to/${name}/server.mjs`] };
}
