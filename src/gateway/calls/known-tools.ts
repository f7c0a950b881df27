import { onAbort } from '../../queue/abort.js';
import type { Tool } from '../../toolbox.js';
import type { CalledToolbox, ServiceFacts } from './call.js';

/** What the tools of a service say of themselves, without asking for every call. */
export interface KnownTools {
  /** Nothing where there is none of that name, or the list cannot be had in a moment. */
  find(name: string, signal: AbortSignal): Promise<Tool | undefined>;
  close(): void;
}

interface List {
  readonly version: string;
  readonly tools: ReadonlyMap<string, Tool>;
}

const momentMs = 1000;

export function createKnownTools(service: ServiceFacts, toolbox: CalledToolbox): KnownTools {
  let last: List | undefined;
  let isStale = false;
  let loading: Promise<List | undefined> | undefined;
  const stopListening = toolbox.onToolsChanged(() => {
    isStale = true;
    loading = undefined;
  });

  return {
    async find(name, signal) {
      const list = isCurrent(last) ? last : await inAMoment(load(), signal);
      return list?.tools.get(name);
    },
    close: stopListening,
  };

  function isCurrent(list: List | undefined): list is List {
    return !isStale && list?.version === service.version();
  }

  function load(): Promise<List | undefined> {
    if (loading) return loading;
    const version = service.version();
    isStale = false;
    const asked = listed(toolbox).then((tools) => {
      if (loading !== asked) return undefined;
      loading = undefined;
      last = tools ? { version, tools } : undefined;
      return last;
    });
    loading = asked;
    return asked;
  }
}

async function listed(toolbox: CalledToolbox): Promise<ReadonlyMap<string, Tool> | undefined> {
  try {
    return new Map((await toolbox.listTools()).map((tool) => [tool.name, tool]));
  } catch {
    return undefined;
  }
}

function inAMoment<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const giveUp = () => {
      stopWatching();
      clearTimeout(timer);
      resolve(undefined);
    };
    const stopWatching = onAbort(signal, giveUp);
    const timer = setTimeout(giveUp, momentMs).unref();
    promise.then((value) => {
      resolve(value);
      giveUp();
    });
  });
}
