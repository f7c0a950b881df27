import { onAbort } from '../../queue/abort.js';
import type { TestedServer } from '../../testedserver.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';
import type { Expect, ExpectedNotification } from '../suite/schema-expect.js';

/** What a server of the newer revision says when it has begun to tell. */
export const acknowledged = 'notifications/subscriptions/acknowledged';

const firstWithout = '2026';
const longestBeginMs = 2000;
const longestMs = 3_600_000;

/** Since 2026 a server tells of changes only where it is asked to. Gives back what ends that, once it has begun. */
export async function subscribe(
  server: TestedServer,
  expected: NonNullable<Expect['notifications']>,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const filter = (server.introduction.protocolVersion ?? '') < firstWithout ? {} : filterOf(expected || []);
  if (Object.keys(filter).length === 0) return () => {};
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(begin, longestBeginMs);
    const stop = server.listen(({ method }) => {
      if (method === acknowledged) begin();
    });
    const stopWatching = onAbort(signal, begin);
    // One that does not know the method answers at once; what is missing then shows by itself.
    const options = { timeoutMs: longestMs, signal: over.signal };
    void server.request('subscriptions/listen', { notifications: filter }, options).then(begin);

    function begin(): void {
      clearTimeout(timer);
      stopWatching();
      stop();
      resolve();
    }
  });
  return () => over.abort();
}

const lists: ReadonlyMap<string, string> = new Map([
  ['tools/list_changed', 'toolsListChanged'],
  ['prompts/list_changed', 'promptsListChanged'],
  ['resources/list_changed', 'resourcesListChanged'],
]);

function filterOf(expected: readonly ExpectedNotification[]): JsonObject {
  const wanted = expected.map((each) => (typeof each === 'string' ? { method: each, fields: {} } : each));
  const named = wanted.map(({ method, fields = {} }) => ({ fields, method: method.replace(/^notifications\//, '') }));
  const changes = named.flatMap(({ method }) => lists.get(method) ?? []);
  const uris = named.flatMap(({ method, fields }) => (method === 'resources/updated' ? uriIn(fields['$.uri']) : []));
  return {
    ...Object.fromEntries(changes.map((name) => [name, true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

function uriIn(field: JsonValue | undefined): readonly string[] {
  const uri = isJsonObject(field) ? field.value : field;
  return typeof uri === 'string' ? [uri] : [];
}
