import { errorTable, isErrorCode } from '../../errors.js';

export interface Labels {
  readonly service: string;
  readonly tool: string;
}

const maxServices = 1000;
const maxToolsPerService = 500;
const other = 'other';
const unknown = 'unknown';

/**
 * What may be said of a call without that a caller decides how many series there are: a tool has a name of its own from
 * when a call of it came to something that only a tool that exists can come to.
 */
export function createLabels() {
  const toolsOf = new Map<string, Set<string>>();

  function service(id: string): string {
    if (toolsOf.has(id)) return id;
    if (toolsOf.size >= maxServices) return other;
    toolsOf.set(id, new Set());
    return id;
  }

  return {
    service,
    of(id: string, tool: string, outcome: string): Labels {
      const shown = service(id);
      const known = toolsOf.get(shown);
      if (known?.has(tool)) return { service: shown, tool };
      if (known === undefined || known.size >= maxToolsPerService || !provesTool(outcome)) {
        return { service: shown, tool: unknown };
      }
      known.add(tool);
      return { service: shown, tool };
    },
    /** Forgets all other services, and tells which they were. */
    keepOnly(present: ReadonlySet<string>): ReadonlySet<string> {
      const gone = new Set([...toolsOf.keys()].filter((id) => !present.has(id)));
      for (const id of gone) toolsOf.delete(id);
      return gone;
    },
  };
}

/** A failure of the script itself happens in a tool; a full queue or a cancelled call says nothing of the name. */
function provesTool(outcome: string): boolean {
  return outcome === 'done' || (isErrorCode(outcome) && errorTable[outcome].fault === 'script');
}
