import { CallerError } from '../../errors.js';
import type { Manifest, ManifestScript, ManifestTool } from '../../manifest/manifest.js';
import { nearest } from '../../nearest.js';
import type { Tool } from '../../toolbox.js';
import { schemaForClients } from './result-schema.js';

/** A manifest, made ready for look-ups. */
export interface Contents {
  readonly manifest: Manifest;
  /** The enabled tools as a client sees them. */
  readonly listed: readonly Tool[];
  readonly enabled: readonly ManifestTool[];
  toolNamed(name: string): ManifestTool;
  scriptOf(tool: ManifestTool): ManifestScript;
}

const maxNamed = 50;

export function contentsOf(manifest: Manifest): Contents {
  const enabled = manifest.tools.filter((tool) => tool.enabled);
  const tools = new Map(enabled.map((tool) => [tool.name, tool]));
  const scripts = new Map(manifest.scripts.map((script) => [script.path, script]));
  return {
    manifest,
    enabled,
    listed: enabled.map(listedTool),
    toolNamed(name) {
      const tool = tools.get(name);
      if (!tool) throw unknownTool(name, manifest);
      return tool;
    },
    scriptOf({ name, run }) {
      const script = scripts.get(run.script);
      if (script) return script;
      throw new CallerError('INVALID_MANIFEST', `Tool ${name}: its script ${run.script} is not among the scripts`);
    },
  };
}

function listedTool({ name, title, description, inputSchema, outputSchema, annotations }: ManifestTool): Tool {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema: schemaForClients(outputSchema) }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function unknownTool(name: string, { tools }: Manifest): CallerError {
  const disabled = tools.find((tool) => tool.name === name);
  if (disabled) return new CallerError('UNKNOWN_TOOL', `Tool ${name} is not enabled: ${disabled.why}`);
  const names = tools.filter((tool) => tool.enabled).map((tool) => tool.name);
  const near = nearest(name, names);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return new CallerError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))}${hint}${known(names)}`);
}

function known(names: readonly string[]): string {
  if (names.length === 0) return '; there are no tools';
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `; there are ${names.slice(0, maxNamed).join(', ')}${more}`;
}
