import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs a package as npm does, of nothing but its name. */
if (process.env.FAKE_NPM_FAILS) {
  console.error('npm error network request to https://registry.npmjs.org/ failed, reason: getaddrinfo ENOTFOUND');
  process.exit(1);
}
const folder = process.argv[process.argv.indexOf('--prefix') + 1];
const wanted = process.argv.at(-1);
const modules = join(folder, 'node_modules', wanted.slice(0, wanted.lastIndexOf('@')));
mkdirSync(join(modules, 'dist'), { recursive: true });
writeFileSync(join(modules, 'dist/index.js'), `// ${wanted}`);
