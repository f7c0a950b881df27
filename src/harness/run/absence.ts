import type { RequestOptions, TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonValue } from '../../toolbox.js';
import { missing } from '../checks/tools.js';
import { isList } from '../expect/json.js';
import type { Finding } from '../report.js';
import type { StepSpec } from '../suite/schema.js';
import { actionOf, type Request, sendForAll, targetOf } from './request.js';

const longestMs = 5000;

/** The findings about a call that was refused, the first of which says so where the server lists nothing of that name. */
export async function withAbsence(
  findings: readonly Finding[],
  step: StepSpec,
  request: Request,
  server: TestedServer,
  options: RequestOptions,
): Promise<readonly Finding[]> {
  const [first, ...others] = findings;
  if (!first || options.signal?.aborted) return findings;
  const absence = await absenceOf(step, request, server, {
    ...options,
    timeoutMs: Math.min(options.timeoutMs, longestMs),
  });
  return absence === undefined ? findings : [{ ...first, message: `${first.message} ${absence}` }, ...others];
}

async function absenceOf(
  step: StepSpec,
  request: Request,
  server: TestedServer,
  options: RequestOptions,
): Promise<string | undefined> {
  const action = actionOf(step);
  if (action !== 'tool' && action !== 'prompt' && action !== 'resource') return undefined;
  const name = targetOf(step, request);
  const names = await namesOf(server, lists[action], options);
  if (names === undefined || names.includes(name)) return undefined;
  // What fits a template is in no list.
  if (action === 'resource' && (await namesOf(server, lists.template, options))?.length !== 0) return undefined;
  return missing(action, name, names);
}

const lists = {
  tool: { capability: 'tools', list: 'tools', items: 'tools', key: 'name' },
  prompt: { capability: 'prompts', list: 'prompts', items: 'prompts', key: 'name' },
  resource: { capability: 'resources', list: 'resources', items: 'resources', key: 'uri' },
  template: { capability: 'resources', list: 'templates', items: 'resourceTemplates', key: 'uriTemplate' },
} as const;

type List = (typeof lists)[keyof typeof lists];

/** Servers that gave no list are not asked for it after every call. */
const silent = new WeakMap<TestedServer, Set<List>>();

/** Asked anew each time, because a list may change. */
async function namesOf(
  server: TestedServer,
  wanted: List,
  options: RequestOptions,
): Promise<readonly string[] | undefined> {
  const { capability, list, items, key } = wanted;
  if (server.isOver || server.introduction.capabilities[capability] === undefined) return undefined;
  if (silent.get(server)?.has(wanted)) return undefined;
  const { exchange, finding } = await sendForAll(server, list, options);
  const { outcome } = exchange;
  const found: JsonValue | undefined = outcome.kind === 'result' ? outcome.result[items] : undefined;
  if (finding || !isList(found)) {
    silent.set(server, new Set([...(silent.get(server) ?? []), wanted]));
    return undefined;
  }
  return found.flatMap((each) => (isJsonObject(each) && typeof each[key] === 'string' ? [each[key]] : []));
}
