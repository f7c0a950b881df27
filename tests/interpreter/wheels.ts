import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';

/** A package of one module with one constant, as a wheel that nobody had to build. */
export async function writeWheel(folder: string, name: string, version = '1.0'): Promise<string> {
  const info = `${name}-${version}.dist-info`;
  const files = {
    [`${name}.py`]: `VERSION = '${version}'\n`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: [`${name}.py`, `${info}/METADATA`, `${info}/WHEEL`, `${info}/RECORD`]
      .map((file) => `${file},,\n`)
      .join(''),
  };
  const encoded = Object.entries(files).map(([file, text]) => [file, new TextEncoder().encode(text)]);
  await mkdir(folder, { recursive: true });
  const wheel = join(folder, `${name}-${version}-py3-none-any.whl`);
  await writeFile(wheel, zipSync(Object.fromEntries(encoded)));
  return wheel;
}
