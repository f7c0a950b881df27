import type { CallRecord, JsonObject } from '../../toolbox.js';
import { counted, joined, shownName } from './foreign-text.js';

const mostTold = 50;
const mostNamed = 10;

/** The calls that a script made, tool by tool. */
export function summarise(calls: readonly CallRecord[]): readonly JsonObject[] {
  return groupsOf(calls).slice(0, mostTold);
}

/** The same as a sentence; none where there were no calls. */
export function callsSentence(calls: readonly CallRecord[], count = calls.length): string | undefined {
  if (calls.length === 0) return undefined;
  const groups = groupsOf(calls);
  const tools = groups.slice(0, mostNamed).map(textOf);
  const wrong = calls.filter(({ outcome }) => outcome !== 'done');
  const reasons = [...new Set(wrong.flatMap(({ code }) => code ?? []))].slice(0, 5).join(', ');
  const failed = wrong.length === 0 ? '' : `; ${wrong.length} failed${reasons === '' ? '' : ` (${reasons})`}`;
  return `${counted(count, 'tool call')}: ${joined(tools, groups.length)}${failed}.`;
}

function textOf({ server, tool, calls }: Group): string {
  const name = `${shownName(server)}/${shownName(tool)}`;
  return calls > 1 ? `${name} ${calls}×` : name;
}

interface Group extends JsonObject {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly wallMs: number;
}

function groupsOf(calls: readonly CallRecord[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { server, tool, outcome, wallMs } of calls) {
    const key = JSON.stringify([server, tool]);
    const before = groups.get(key);
    groups.set(key, {
      server,
      tool,
      calls: (before?.calls ?? 0) + 1,
      failed: (before?.failed ?? 0) + (outcome === 'done' ? 0 : 1),
      wallMs: Math.round((before?.wallMs ?? 0) + wallMs),
    });
  }
  return [...groups.values()].sort((one, other) => other.calls - one.calls);
}
