import { type Settings, settingsSchema } from '../config.js';
import { CallerError } from '../errors.js';
import type { RunOptions } from './work.js';

const isolations: readonly unknown[] = settingsSchema.shape.isolation.unwrap().options;

/** What a caller says of one call is checked here, at the border: a wrong word must not mean less isolation. */
export function checkOptions(options: RunOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'must be an object');
  const {
    isolation,
    session,
    caller,
    tenant,
    group,
    python,
    content,
    profile,
    priority,
    signal,
    onEvent,
    onAsk,
    limits,
  } = options;
  if (isolation !== undefined && !isolations.includes(isolation)) {
    const message = `Setting isolation: expected one of ${isolations.join(', ')}, got ${JSON.stringify(isolation)}`;
    throw new CallerError('INVALID_SETTING', message, { setting: 'isolation' });
  }
  if (!isOptional(session, 'string')) throw invalid('session', 'must be a text');
  if (!isOptional(caller, 'string')) throw invalid('caller', 'must be a text');
  if (!isOptional(tenant, 'string')) throw invalid('tenant', 'must be a text');
  if (!isOptional(group, 'string')) throw invalid('group', 'must be a text');
  if (!isOptional(content, 'string')) throw invalid('content', 'must be a hash');
  if (!isChosenPython(python)) throw invalid('python', 'must be the path of an interpreter');
  if (profile !== undefined && profile !== 'strict' && profile !== 'trusted') {
    throw new CallerError(
      'INVALID_SETTING',
      `Setting profile: expected trusted or strict, got ${JSON.stringify(profile)}`,
      {
        setting: 'profile',
      },
    );
  }
  if (!isOptional(priority, 'number') || Number.isNaN(priority)) throw invalid('priority', 'must be a number');
  if (!isOptional(onEvent, 'function')) throw invalid('onEvent', 'must be a function');
  if (!isOptional(onAsk, 'function')) throw invalid('onAsk', 'must be a function');
  if (!isOptional(limits, 'object')) throw invalid('limits', 'must be an object');
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw invalid('signal', 'must be an AbortSignal');
  }
}

/** What no setting says by itself. */
export function checkedSettings(settings: Settings): Settings {
  const { minIdleChildren, idleChildren } = settings;
  if (minIdleChildren <= idleChildren) return settings;
  const message = `Setting minIdleChildren: ${minIdleChildren} is more than idleChildren, which is ${idleChildren}`;
  throw new CallerError('INVALID_SETTING', message, { setting: 'minIdleChildren' });
}

function isChosenPython(python: unknown): boolean {
  if (typeof python !== 'object' || python === null) return isOptional(python, 'string') && python !== '';
  return ['executable', 'packages'].every((name) => typeof Reflect.get(python, name) === 'string');
}

function isOptional(value: unknown, kind: 'string' | 'number' | 'function' | 'object'): boolean {
  return value === undefined || typeof value === kind;
}

function invalid(name: string, reason: string): CallerError {
  return new CallerError('INVALID_ARGUMENTS', `${name} ${reason}`, { argument: name });
}
