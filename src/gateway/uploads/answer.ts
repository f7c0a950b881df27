import type { DryRun, Outcome } from './changes.js';

/** An uploaded service as its owner sees it: every tool that was found, enabled or not and why. */
export function answerOf(outcome: Outcome | DryRun): object {
  if ('prepared' in outcome) {
    const { id, prepared, found } = outcome;
    const { kind, file, sha256, bytes, files } = prepared;
    return { dryRun: true, id, kind, file, sha256, bytes, files, ...found };
  }
  const { record, found } = outcome;
  const { id, name, ...rest } = record;
  return { id, name: name ?? id, ...rest, url: `/api/v1/services/${id}`, mcpUrl: `/api/v1/mcp/${id}`, ...found };
}
