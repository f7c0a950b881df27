import type { Tool } from '../../toolbox.js';
import type { ToolChange } from '../code-execution.js';
import { boundedDefinition, definitionHash } from './definition.js';
import type { PinnedServer, PinnedTool, Pins } from './pins.js';

/** How the tools of a server differ from those that were generated; in nothing where none were. */
export function changesSince(pins: Pins, server: string, tools: readonly Tool[]): readonly ToolChange[] {
  const pinned = pins.servers.get(server);
  return pinned ? changesOf(pinned, hashesOf(tools)) : [];
}

/** The definitions that were generated, which are the ones to be shown. */
export function pinnedTools(pins: Pins, server: string): readonly Tool[] | undefined {
  const pinned = pins.servers.get(server);
  return pinned && [...pinned.tools.values()].map(({ tool }) => tool);
}

export interface Listed {
  readonly tools: readonly Tool[];
  readonly description?: string;
}

export interface Pinning {
  readonly pinned: PinnedServer;
  readonly changes: readonly ToolChange[];
  /** Something that the server says now was not taken over. */
  readonly isPinned: boolean;
}

/**
 * What a server had when it was first generated was accepted with it. After that nothing new of it gets in by itself, be it
 * another description or another tool, as either is how a server that turns hostile speaks to an agent. What it takes away goes.
 */
export function pin(before: PinnedServer | undefined, listed: Listed, module: string, accept: boolean): Pinning {
  const hashes = hashesOf(listed.tools);
  if (!before || accept) {
    const tools = new Map([...hashes].map(([name, { hash, tool }]) => [name, { hash, tool: boundedDefinition(tool) }]));
    const removed = new Map<string, string>();
    const changes = before ? changesOf(before, hashes) : [];
    return { pinned: { module, description: listed.description, tools, removed }, changes, isPinned: false };
  }
  const changes = changesOf(before, hashes);
  const tools = new Map([...before.tools].filter(([name]) => hashes.has(name)));
  const removed = new Map(before.removed);
  for (const [name, { hash }] of before.tools) if (!hashes.has(name)) removed.set(name, hash);
  for (const [name, { hash, tool }] of hashes) {
    if (removed.get(name) !== hash) continue;
    removed.delete(name);
    tools.set(name, { hash, tool: boundedDefinition(tool) });
  }
  const isPinned = changes.some(
    ({ tool, change }) => change !== 'removed' && tools.get(tool)?.hash !== hashes.get(tool)?.hash,
  );
  return { pinned: { module, description: before.description, tools, removed }, changes, isPinned };
}

function changesOf(before: PinnedServer, hashes: ReadonlyMap<string, PinnedTool>): readonly ToolChange[] {
  const ofListed = [...hashes].flatMap(([tool, { hash }]): readonly ToolChange[] => {
    const known = before.tools.get(tool)?.hash;
    if (known === hash) return [];
    const isOther = known !== undefined || (before.removed.get(tool) ?? hash) !== hash;
    return [{ tool, change: isOther ? 'changed' : 'added' }];
  });
  const gone = [...before.tools.keys()].filter((tool) => !hashes.has(tool));
  const changes: readonly ToolChange[] = [...ofListed, ...gone.map((tool) => ({ tool, change: 'removed' as const }))];
  return changes.toSorted((one, other) => (one.tool < other.tool ? -1 : 1));
}

/** Of tools with the same name only the first counts, as a call would not know the other. */
function hashesOf(tools: readonly Tool[]): ReadonlyMap<string, PinnedTool> {
  return new Map(tools.toReversed().map((tool) => [tool.name, { hash: definitionHash(tool), tool }]));
}
