import type { SafeTool } from '../codemode/code-execution.js';
import { CallerError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../toolbox.js';
import { parseJsonFlag } from './arguments.js';
import { splitToolName } from './code-names.js';

const flag = '--safe';

/** Words such as `github/list_issues={"state":"open"}`; the same tool in several words has several samples. */
export async function parseSafeTools(
  words: readonly string[],
  servers: readonly string[],
): Promise<readonly SafeTool[]> {
  const found = new Map<string, { server: string; tool: string; samples: JsonObject[] }>();
  for (const word of words) {
    const [, name = word, json] = /^([\s\S]+?)=([[{@][\s\S]*)$/.exec(word) ?? [];
    const named = splitToolName(name, servers);
    if (named === undefined) throw wrong(`"${name}" is not of the form server/tool, or server/tool={"argument": …}`);
    const key = JSON.stringify(named);
    const entry = found.get(key) ?? { ...named, samples: [] };
    found.set(key, entry);
    if (json !== undefined) entry.samples.push(...(await samplesOf(json, name)));
  }
  return [...found.values()].map(({ server, tool, samples }) =>
    samples.length === 0 ? { server, tool } : { server, tool, arguments: samples },
  );
}

async function samplesOf(json: string, name: string): Promise<readonly JsonObject[]> {
  const parsed = await parseJsonFlag(json, `${flag} ${name}`);
  const samples = Array.isArray(parsed) ? parsed : [parsed];
  return samples.map((sample) => {
    if (isJsonObject(sample)) return sample;
    throw wrong(`${name}: the arguments of a call are one JSON object, or a list of them`);
  });
}

function wrong(reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${flag}: ${reason}`, { argument: flag });
}
