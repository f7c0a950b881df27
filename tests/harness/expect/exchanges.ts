import { checkExpectations, type ExpectInput } from '../../../src/harness/expect/expect.js';
import { filledExpect } from '../../../src/harness/expect/filled.js';
import type { Finding } from '../../../src/harness/report.js';
import { expectSchema } from '../../../src/harness/suite/schema-expect.js';
import type { Exchange, TimedEvent } from '../../../src/testedserver.js';
import type { JsonObject, JsonValue } from '../../../src/toolbox.js';

export function result(content: JsonObject, events: readonly TimedEvent[] = []): Exchange {
  return { outcome: { kind: 'result', result: content }, events, ms: 5 };
}

export function text(...texts: readonly string[]): Exchange {
  return result({ content: texts.map((each) => ({ type: 'text', text: each })) });
}

export function structured(structuredContent: JsonObject): Exchange {
  return result({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });
}

export function failed(...texts: readonly string[]): Exchange {
  return result({ content: texts.map((each) => ({ type: 'text', text: each })), isError: true });
}

export function rpcError(code: number, message: string, data?: JsonValue): Exchange {
  return { outcome: { kind: 'error', error: { code, message, data } }, events: [], ms: 5 };
}

export const unanswered: Exchange = {
  outcome: { kind: 'none', code: 'TIMEOUT', message: 'The MCP server did not answer within 50 ms' },
  events: [],
  ms: 50,
};

/** Checks what stands under `expect` in a suite. */
export function check(
  expected: unknown,
  exchange: Exchange,
  others: Partial<ExpectInput> = {},
): Promise<readonly Finding[]> {
  return checkExpectations({
    expect: filledExpect(expectSchema.parse(expected), {}),
    exchange,
    action: 'tool',
    schemaTexts: new Map(),
    ...others,
  });
}

export async function messages(...given: Parameters<typeof check>): Promise<readonly string[]> {
  return (await check(...given)).map(({ message }) => message);
}
