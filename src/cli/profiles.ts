import type { Settings } from '../config.js';
import type { Engine } from '../engine/work.js';
import type { Enforced } from '../toolbox.js';
import { type DescribedFailure, describeFailure } from './failure.js';
import type { Terminal } from './terminal.js';

/** What one profile comes to on this machine, shown by a call. */
export interface ExaminedProfile {
  readonly profile: 'trusted' | 'strict';
  readonly namespaces?: Settings['namespaces'];
  /** What the call was held to; not there where it was refused. */
  readonly enforced?: Enforced;
  readonly error?: DescribedFailure;
  /** What would be enforced of a profile that is refused, where less is accepted. */
  readonly bestEffort?: Enforced;
}

const nothingAllowed = {
  allowRead: undefined,
  allowWrite: undefined,
  allowNet: false,
  allowRun: false,
  allowAll: false,
};

/** The same limits and permissions as in the settings, under each profile. */
export async function examineProfiles(settings: Settings, terminal: Terminal): Promise<readonly ExaminedProfile[]> {
  const trusted = { ...settings, ...nothingAllowed, profile: 'trusted' } as const;
  const strict = { ...settings, allowAll: false, profile: 'strict', enforcement: 'required' } as const;
  return [
    { profile: 'trusted', ...(await tryCall(trusted, terminal)) },
    { profile: 'strict', namespaces: 'auto', ...(await tryStrict({ ...strict, namespaces: 'auto' }, terminal)) },
    { profile: 'strict', namespaces: 'off', ...(await tryStrict({ ...strict, namespaces: 'off' }, terminal)) },
  ];
}

type Outcome = { readonly enforced: Enforced } | { readonly error: DescribedFailure };

async function tryStrict(settings: Settings, terminal: Terminal): Promise<Outcome & { bestEffort?: Enforced }> {
  const outcome = await tryCall(settings, terminal);
  if (!('error' in outcome) || outcome.error.code !== 'SANDBOX_UNAVAILABLE') return outcome;
  const second = await tryCall({ ...settings, enforcement: 'best-effort' }, terminal);
  return 'enforced' in second ? { ...outcome, bestEffort: second.enforced } : outcome;
}

async function tryCall(settings: Settings, terminal: Terminal): Promise<Outcome> {
  let engine: Engine | undefined;
  try {
    engine = await terminal.createEngine(settings);
    const { figures } = await engine.run({ source: 'result(True)' }, { signal: terminal.interrupt });
    return { enforced: figures.enforced };
  } catch (error) {
    return { error: describeFailure(error) };
  } finally {
    await engine?.close();
  }
}
