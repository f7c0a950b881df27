import { createHash } from 'node:crypto';
import type { Tool } from '../../toolbox.js';

export interface NamedTool {
  readonly name: string;
  readonly service: string;
  readonly tool: Tool;
}

/** The longest name that every client takes. */
const longestName = 64;
const markLength = 12;
const plainService = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const plainTool = /^[A-Za-z0-9_-]+$/;
const endsLikeMark = new RegExp(`_[0-9a-f]{${markLength}}$`);

export function nameTools(tools: readonly Omit<NamedTool, 'name'>[]): ReadonlyMap<string, NamedTool> {
  return new Map(
    tools.map(({ service, tool }) => {
      const name = aggregateName(service, tool.name);
      return [name, { name, service, tool }];
    }),
  );
}

/**
 * `service__tool`. Where that is too long for some clients, has characters that they do not take, or could be the name of
 * another tool too, it is shortened and ends in a mark made of both. A name depends on its own service and tool alone, so that
 * nobody can take the name of somebody else's tool by serving one that is called alike.
 */
export function aggregateName(service: string, tool: string): string {
  const whole = `${service}__${tool}`;
  const isPlain = plainService.test(service) && plainTool.test(tool) && !endsLikeMark.test(tool);
  if (isPlain && whole.length <= longestName) return whole;
  const mark = createHash('sha256')
    .update(JSON.stringify([service, tool]))
    .digest('hex')
    .slice(0, markLength);
  return `${whole.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName - markLength - 1)}_${mark}`;
}
