import type { KnownServer, KnownTool } from '../known-tools.js';
import { cleanLine, cleanProse, summaryOf } from './foreign-text.js';
import type { ToolNames } from './names.js';
import { docstring, lines, pythonHeader } from './python-text.js';
import { shortSignatureOf } from './signature.js';

const longestDescription = 2000;
const maxToolsShown = 200;

/** A server with the names of its tools, the tools in their order. */
export interface NamedServer {
  readonly server: KnownServer;
  readonly module: string;
  readonly names: ReadonlyMap<string, ToolNames>;
}

/** `servers/__init__.py` */
export function renderServersPackage(servers: readonly NamedServer[]): string {
  const told = servers.map(({ server, module }) => {
    const said = summaryOf(server.description);
    return `    ${module}${said === '' ? '' : `: ${said}`}`;
  });
  const text = ['MCP servers as modules: from servers.SERVER import TOOL', told.join('\n')].join('\n\n');
  return lines([pythonHeader, ...docstring(text, '')]);
}

/** `servers/<server>/__init__.py`: loads a tool when it is first used, and no other. */
export function renderServerPackage({ server, names }: NamedServer): string {
  const places = [...names.values()].flatMap((tool) => [
    `    "${tool.function}": "${tool.module}",`,
    `    "${tool.asyncFunction}": "${tool.module}",`,
  ]);
  return lines([
    pythonHeader,
    ...docstring(describe(server, names), ''),
    '',
    'from mcp_execution.wrappers import package as _package',
    '',
    ...(places.length === 0 ? ['_package(__name__, {})'] : ['_package(__name__, {', ...places, '})']),
  ]);
}

/** `servers/<server>/__init__.pyi`: the same for type checkers and editors. */
export function renderServerStub({ names }: NamedServer): string {
  const imports = [...names.values()].map(
    ({ module, function: name, asyncFunction }) =>
      `from .${module} import ${name} as ${name}, ${asyncFunction} as ${asyncFunction}`,
  );
  return lines([pythonHeader, ...imports]);
}

/** One line for each tool, that says enough to choose and to import it. */
export function indexLines({ server, module, names }: NamedServer): readonly string[] {
  return toolLines(server.tools, names).map((line) => `${module}.${line}`);
}

function toolLines(tools: readonly KnownTool[], names: NamedServer['names']): readonly string[] {
  return tools.flatMap((known) => {
    const own = names.get(known.tool.name);
    if (!own) return [];
    const said = summaryOf(known.tool.description ?? known.tool.title);
    return [`${shortSignatureOf(known, own)}${said === '' ? '' : ` – ${said}`}`];
  });
}

function describe(server: KnownServer, names: NamedServer['names']): string {
  const shown = server.tools.slice(0, maxToolsShown);
  const told = toolLines(shown, names);
  const more = server.tools.length - shown.length;
  return [
    `The MCP server ${cleanLine(server.name, 100)}.`,
    cleanProse(server.description ?? '', longestDescription),
    [...told, ...(more > 0 ? [`and ${more} more, which are in index.txt`] : [])].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
