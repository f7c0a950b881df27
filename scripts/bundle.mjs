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

/** The gateway is a file of its own, so that no other verb has to read it, and its packages stay where they are installed. */
export const gatewayFile = 'gateway.cjs';

const gatewayApart = {
  name: 'gateway-apart',
  setup(build) {
    build.onResolve({ filter: /\/gatewaying\.js$/ }, () => ({ path: `./${gatewayFile}`, external: true }));
  },
};

async function bundleGateway({ esbuild, root, folder }) {
  await esbuild.build({
    ...nodeOptions,
    absWorkingDir: root,
    entryPoints: { gateway: 'src/cli/gatewaying.ts' },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    packages: 'external',
    ...asCommonJs,
  });
}

const asCommonJs = {
  format: 'cjs',
  // Code that V8 had compiled before knows no loader.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'fileUrl' },
  banner: { js: `const fileUrl = require('node:url').pathToFileURL(__filename).href; ${zodAsItIs}` },
};

/**
 * The command as one file beside a launcher that keeps what V8 compiled of it. The file is named after its content: V8
 * itself looks no further than the length of a source.
 */
export async function bundleCommand({ esbuild, root, folder }) {
  const options = commandOptions();
  const { outputFiles } = await esbuild.build({
    ...options,
    absWorkingDir: root,
    entryPoints: ['src/cli/mcp-exec.ts'],
    // The other form of jsonc-parser cannot be bundled.
    mainFields: ['module', 'main'],
    ...asCommonJs,
    plugins: [...options.plugins, gatewayApart],
    write: false,
  });
  const code = outputFiles[0].contents;
  const name = `mcp-exec-${createHash('sha256').update(code).digest('hex').slice(0, 16)}`;
  const launcher = await readFile(join(root, 'scripts', 'launcher.cjs'), 'utf8');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.cjs`), code);
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  await bundleGateway({ esbuild, root, folder });
  await writeFile(join(folder, 'mcp-exec.js'), launcher.replace('COMMAND', name), { mode: 0o755 });
}
