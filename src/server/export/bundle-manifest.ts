import { environmentName, settingsSchema } from '../../config.js';
import type { Manifest, ManifestTool } from '../../manifest/manifest.js';
import { type BundleNames, firstParagraph } from './bundle-names.js';

/** The key under which manifest.json says that the bundle is one of ours. */
export const bundleMark = 'mcp-execution';

/** manifest.json: what the clients that install MCP Bundles read. */
export function bundleManifest(names: BundleNames, manifest: Manifest, wrapperVersion: string): object {
  const tools = manifest.tools.filter(({ enabled }) => enabled);
  return {
    manifest_version: '0.3',
    name: names.name,
    version: names.version,
    description: names.description,
    author: { name: names.author },
    server: {
      type: 'node',
      entry_point: 'server.mjs',
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in.
        args: ['${__dirname}/server.mjs'],
        env: Object.fromEntries(userSettings.map(({ key, variable }) => [variable, `\${user_config.${key}}`])),
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: summaryOf(tool) })),
    compatibility: {
      platforms: ['linux', 'win32', 'darwin'],
      runtimes: { node: '>=20.19.0', python: pythonFor(manifest) },
    },
    user_config: Object.fromEntries(userSettings.map(({ key, option }) => [key, option])),
    _meta: { [bundleMark]: { version: wrapperVersion } },
  };
}

/** The first paragraph of what a tool says of itself, on one line. */
export function summaryOf({ name, title, description }: ManifestTool): string {
  return firstParagraph(description) || title || name;
}

export function pythonFor({ scripts }: Manifest): string {
  const required = new Set(scripts.map(({ requiresPython }) => requiresPython ?? '>=3.10'));
  const [only = '>=3.10'] = required;
  return required.size === 1 ? only : '>=3.10';
}

/** What a person may want to change without opening a file. An empty text leaves the setting as it is. */
const userSettings = [
  {
    key: 'python',
    variable: environmentName('python'),
    option: {
      type: 'string',
      title: 'Python',
      description: 'The Python that runs the tools: a path or a command name. Empty: the first that is found.',
      default: '',
      required: false,
    },
  },
  {
    key: 'profile',
    variable: environmentName('profile'),
    option: {
      type: 'string',
      title: 'Profile',
      description:
        'trusted: the tools may do what you may do. strict: they read only their own folder and have no network. Empty: trusted.',
      default: '',
      required: false,
    },
  },
  {
    key: 'timeout_ms',
    variable: environmentName('timeoutMs'),
    option: {
      type: 'number',
      title: 'Time limit',
      description: 'Milliseconds that a call may take.',
      default: settingsSchema.shape.timeoutMs.parse(undefined),
      min: 1,
      required: false,
    },
  },
];
