import { describe, expect, it } from 'vitest';
import { checkerOf } from '../../../src/harness/expect/schema-checker.js';
import { endedWithin } from '../../../src/harness/expect/within-time.js';

describe('A check against a schema that is cut off by its time limit', () => {
  it('spoils none that comes after it, of no draft', async () => {
    const drafts = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'];
    for (const $schema of drafts) {
      const cutOff = await checkerOf({ $schema, type: 'object', title: 'first' });
      endedWithin(1, () => cutOff.check({}));
      const next = await checkerOf({ $schema, type: 'object', title: 'next' });
      expect(next.check({})).toEqual([]);
      expect(next.check('text')).toHaveLength(1);
    }
  });
});
