import { CallerError } from '../../errors.js';
import type { Tool } from '../../toolbox.js';
import type { Policy } from '../code-execution.js';
import { type CodeSettings, codeSettingFamily } from '../settings.js';
import { type Pattern, readPatterns, refuseUnknownServers, slipIn } from './patterns.js';
import { nameOf } from './plain-text.js';

/** Who made the rules: whoever runs the host, by settings, or whoever asked for the run. */
type Origin = 'host' | 'run';

interface Rules {
  readonly origin: Origin;
  readonly allow?: readonly Pattern[];
  readonly deny: readonly Pattern[];
  readonly readOnly: boolean;
  readonly ask: readonly Pattern[];
}

/** All of the rules hold, so that adding some can only forbid more. */
export type ToolPolicy = readonly Rules[];

/** A tool as far as rules look at it. */
export interface JudgedTool {
  readonly server: string;
  readonly tool: string;
  readonly isReadOnly: boolean;
}

export type Decision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refused'; readonly reason: string };

export type HostPolicy = Pick<CodeSettings, 'allowTools' | 'denyTools' | 'readOnly' | 'askTools'>;

export function readHostPolicy({ allowTools, denyTools, readOnly, askTools }: HostPolicy): ToolPolicy {
  return [
    {
      origin: 'host',
      ...(allowTools && { allow: readPatterns(allowTools, 'allowTools') }),
      deny: readPatterns(denyTools, 'denyTools'),
      readOnly,
      ask: readPatterns(askTools, 'askTools'),
    },
  ];
}

export function readRunPolicy(given: Policy | undefined, servers: readonly string[]): ToolPolicy {
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid('policy must be an object');
  const { allow, deny = [], readOnly = false, ask = [], ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw invalid(`policy has ${JSON.stringify(unknown)}; it may have allow, deny, readOnly and ask`);
  }
  if (typeof readOnly !== 'boolean') throw invalid('policy.readOnly must be true or false');
  const lists = {
    ...(allow !== undefined && { allow: readPatterns(allow, 'policy.allow') }),
    deny: readPatterns(deny, 'policy.deny'),
    ask: readPatterns(ask, 'policy.ask'),
  };
  for (const [name, patterns] of Object.entries(lists)) refuseUnknownServers(patterns, servers, `policy.${name}`);
  return [{ origin: 'run', readOnly, ...lists }];
}

export function intersect(one: ToolPolicy, other: ToolPolicy): ToolPolicy {
  return [...one, ...other];
}

/** Patterns of settings that name a server that there is not: perhaps one of another config, perhaps a slip. */
export function slipsIn(policy: ToolPolicy, servers: readonly string[]): readonly string[] {
  const patterns = policy.flatMap(({ allow = [], deny, ask }) => [...allow, ...deny, ...ask]);
  return patterns.flatMap((pattern) => {
    const slip = slipIn(pattern, servers);
    return slip === undefined ? [] : [`${JSON.stringify(pattern.text)} ${slip}`];
  });
}

export function decide(policy: ToolPolicy, judged: JudgedTool): Decision {
  for (const rules of policy) {
    const reason = reasonAgainst(rules, judged);
    if (reason !== undefined) return { kind: 'refused', reason };
  }
  const asks = policy.some(({ ask }) => ask.some((pattern) => pattern.matches(judged.server, judged.tool)));
  return { kind: asks ? 'ask' : 'allowed' };
}

/** Whether the look at a tool's own words is needed at all. */
export function looksAtDeclarations(policy: ToolPolicy): boolean {
  return policy.some(({ readOnly }) => readOnly);
}

export function declaresReadOnly({ annotations = {} }: Pick<Tool, 'annotations'>): boolean {
  return annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}

function reasonAgainst({ origin, allow, deny, readOnly }: Rules, judged: JudgedTool): string | undefined {
  const { server, tool, isReadOnly } = judged;
  const denying = deny.find((pattern) => pattern.matches(server, tool));
  if (denying) {
    const by = origin === 'host' ? `${flag('denyTools')} forbids` : 'policy.deny of this run forbids';
    return `${by} ${JSON.stringify(denying.text)}`;
  }
  if (allow && !allow.some((pattern) => pattern.matches(server, tool))) {
    return origin === 'host'
      ? `it is not among the tools that scripts may call. Whoever runs this can permit it with ${flag('allowTools')} ${nameOf(judged)}`
      : 'policy.allow of this run does not name it';
  }
  if (readOnly && !isReadOnly) {
    const by = origin === 'host' ? flag('readOnly') : 'policy.readOnly of this run';
    return `${by} permits only tools that declare that they change nothing, and it does not, or did not when its wrapper was generated`;
  }
  return undefined;
}

function flag(name: 'allowTools' | 'denyTools' | 'readOnly'): string {
  return codeSettingFamily.flagName(name);
}

function invalid(message: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', message, { argument: 'policy' });
}
