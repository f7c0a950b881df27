import type { CommandParameter, Manifest, ManifestScript, ManifestTool } from '../../../src/manifest/manifest.js';
import type { JsonObject } from '../../../src/toolbox.js';
import { fixture } from '../harness.js';

type Described = Partial<Omit<ManifestTool, 'run'>>;

/** A function of a fixture as a tool that takes these parameters. */
export function functionTool(
  script: string,
  name: string,
  properties: JsonObject = {},
  rest: Described = {},
): ManifestTool {
  return {
    ...described(name, properties),
    ...rest,
    run: { kind: 'function', script: fixture(script), function: name },
  };
}

/** A fixture as a command line. */
export function commandTool(
  script: string,
  name: string,
  properties: JsonObject,
  parameters: readonly CommandParameter[],
): ManifestTool {
  const command = { words: [], before: [], parameters };
  return { ...described(name, properties), run: { kind: 'command', script: fixture(script), command } };
}

export function manifestOf(tools: readonly ManifestTool[], script: Partial<ManifestScript> = {}): Manifest {
  const paths = [...new Set(tools.map(({ run }) => run.script))];
  const scripts = paths.map((path) => ({ path, sha256: '0'.repeat(64), files: [], importEffects: [], ...script }));
  return { manifestVersion: 1, scripts, tools };
}

/** The output schema of a value that is no object. */
export function wrapped(schema: JsonObject): Pick<ManifestTool, 'outputSchema' | 'resultKey'> {
  return {
    outputSchema: { type: 'object', properties: { result: schema }, required: ['result'] },
    resultKey: 'result',
  };
}

function described(name: string, properties: JsonObject): Omit<ManifestTool, 'run'> {
  const inputSchema = { type: 'object', properties, additionalProperties: false };
  return { name, inputSchema, enabled: true, why: 'a public function' };
}
