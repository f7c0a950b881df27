import type { Log, LogFields } from '../../log.js';
import { createRedactor, minSecretLength, type Redactor } from '../../redact.js';
import type { ServerEntry } from '../config/config.js';

export type Secrets = Readonly<Record<string, string>>;

/** Values that must not be shown of an entry, by what is said in their place. */
export function secretsOf({ secrets, target }: ServerEntry): Secrets {
  const numbered = secrets.map((value, index) => [`value ${index + 1}`, value] as const);
  const named = target?.kind === 'command' ? Object.entries(target.env ?? {}) : headersOf(target?.headers ?? {});
  return Object.fromEntries([...numbered, ...named].filter(([, value]) => value.length >= minSecretLength));
}

/** A header is more than its token, which may be shown alone. */
function headersOf(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers).flatMap(([header, value]) => [
    [header, value] as const,
    ...value.split(/\s+/).map((word, index) => [`${header} ${index + 1}`, word] as const),
  ]);
}

export function redactorOf(secrets: Secrets): Redactor {
  return createRedactor(secrets, Object.keys(secrets));
}

/** Whether one of the secrets stands in a text of JSON. */
export function holdsSecret(json: string, secrets: Secrets): boolean {
  return Object.values(secrets).some((secret) => json.includes(JSON.stringify(secret).slice(1, -1)));
}

/** The same log, without the secrets. */
export function withoutSecrets(log: Log, redactor: Redactor): Log {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.text(value);
    if (Array.isArray(value)) return value.map(clean);
    return value instanceof Error ? redactor.text(value.message) : value;
  };
  const cleaned = (fields: LogFields = {}): LogFields =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clean(value)]));
  return {
    error: (event, fields) => log.error(event, cleaned(fields)),
    warn: (event, fields) => log.warn(event, cleaned(fields)),
    info: (event, fields) => log.info(event, cleaned(fields)),
    debug: (event, fields) => log.debug(event, cleaned(fields)),
    child: (fields) => withoutSecrets(log.child(cleaned(fields)), redactor),
    get script() {
      return withoutSecrets(log.script, redactor);
    },
  };
}
