import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What everything that esbuild makes here has in common. */
export const nodeOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
  legalComments: 'none',
};

/** The options of esbuild that a bundled command is made with, wherever it is made. */
export function commandOptions() {
  return {
    ...nodeOptions,
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [withoutValidator],
    banner: { js: `${requireForPackages} ${zodAsItIs}` },
  };
}

/** Packages written for `require` are bundled too. */
const requireForPackages = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Compiling validators costs more at the start than it saves later; it has to be said before zod is loaded. */
const zodAsItIs = 'globalThis.__zod_globalConfig ??= { jitless: true };';

/**
 * The MCP SDK loads a JSON Schema validator for answers of clients, which no server of ours asks for. It is a third of
 * all that would be loaded before the first answer.
 */
export const withoutValidator = {
  name: 'without-validator',
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'without-validator',
    }));
    build.onLoad({ filter: /.*/, namespace: 'without-validator' }, () => ({ contents: shims, loader: 'js' }));
  },
};

const shims = `
import process from 'node:process';
class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('This build of the MCP SDK is without a JSON Schema validator');
  }
}
export { DefaultJsonSchemaValidator, process };
`;

/**
 * Files of their own, so that no other verb has to read them: of each, the modules that are loaded from it. The packages of
 * the gateway stay where they are installed.
 */
const apart = {
  gateway: { modules: ['gatewaying'], packages: 'external' },
  code: { modules: ['code-verbs', 'brokering'], packages: 'bundle' },
  test: { modules: ['testing'], packages: 'bundle' },
};

/** Each under the name that its file got. */
function loadedApart(names) {
  return {
    name: 'loaded-apart',
    setup(build) {
      for (const [file, { modules }] of Object.entries(apart)) {
        const filter = new RegExp(`/(?:${modules.join('|')})\\.js$`);
        build.onResolve({ filter }, () => ({ path: `./${names[file]}.cjs`, external: true }));
      }
    },
  };
}

async function bundleApart({ esbuild, root, folder }) {
  const names = {};
  for (const [file, { modules, packages }] of Object.entries(apart)) {
    const contents = modules.map((name) => `export * from './src/cli/${name}.js';`).join('\n');
    const { outputFiles } = await esbuild.build({
      ...(packages === 'bundle' ? { ...commandOptions(), mainFields } : nodeOptions),
      absWorkingDir: root,
      stdin: { contents, resolveDir: root, loader: 'ts' },
      packages,
      ...asCommonJs,
      write: false,
    });
    names[file] = await writeNamed(folder, file, outputFiles[0].contents);
  }
  return names;
}

/** The file is named after its content: V8 itself looks no further than the length of a source. */
async function writeNamed(folder, file, code) {
  const name = `${file}-${createHash('sha256').update(code).digest('hex').slice(0, 16)}`;
  await writeFile(join(folder, `${name}.cjs`), code);
  return name;
}

/** The other form of jsonc-parser cannot be bundled. */
const mainFields = ['module', 'main'];

const asCommonJs = {
  format: 'cjs',
  // Code that V8 had compiled before knows no loader.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'fileUrl' },
  banner: { js: `const fileUrl = require('node:url').pathToFileURL(__filename).href; ${zodAsItIs}` },
};

const commands = { 'mcp-exec': 'src/cli/mcp-exec.ts', 'mcp-execution-server': 'src/cli/execution-server-start.ts' };

/** Each command as one file beside a launcher that keeps what V8 compiled of it, and what some verbs load. */
export async function bundleCommands({ esbuild, root, folder }) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  const names = await bundleApart({ esbuild, root, folder });
  for (const [command, entry] of Object.entries(commands)) {
    await bundleCommand({ esbuild, root, folder, command, entry, names });
  }
}

async function bundleCommand({ esbuild, root, folder, command, entry, names }) {
  const options = commandOptions();
  const { outputFiles } = await esbuild.build({
    ...options,
    absWorkingDir: root,
    entryPoints: [entry],
    mainFields,
    ...asCommonJs,
    plugins: [...options.plugins, loadedApart(names)],
    write: false,
  });
  const name = await writeNamed(folder, command, outputFiles[0].contents);
  const launcher = await readFile(join(root, 'scripts', 'launcher.cjs'), 'utf8');
  await writeFile(join(folder, `${command}.js`), launcher.replace('COMMAND', name), { mode: 0o755 });
}
