import { describe, expect, it } from 'vitest';
import { clientSideOf } from '../../../src/harness/suite/client.js';
import { lines, suiteFolder } from './texts.js';

const folder = suiteFolder();
const oneCase = (...rest: readonly string[]) => lines('cases:', '  - name: a', '    tool: t', ...rest);

describe('The client of a suite', () => {
  it('declares what it names, and nothing else', () => {
    expect(clientSideOf({}, {})).toEqual({ capabilities: {}, replies: {} });
    expect(clientSideOf({ roots: [] }, {})).toEqual({
      capabilities: { roots: {} },
      replies: { roots: [{ result: { roots: [] } }] },
    });
    expect(clientSideOf({ elicitation: 'cancel' }, {})).toEqual({
      capabilities: { elicitation: { form: {} } },
      replies: { elicitation: [{ result: { action: 'cancel' } }] },
    });
    expect(clientSideOf({ elicitation: [{ url: 'accept' }, { accept: {} }] }, {}).capabilities).toEqual({
      elicitation: { form: {}, url: {} },
    });
    expect(clientSideOf({ sampling: { error: 'Nobody approves' } }, {})).toEqual({
      capabilities: { sampling: {} },
      replies: { sampling: [{ error: { code: -1, message: 'Nobody approves' } }] },
    });
  });

  it('has values of the run in its answers, and for whole ones', () => {
    const spec = { roots: ['file://{{ temp }}'], elicitation: '{{ answer }}', sampling: '{{ said }}' };
    const values = { temp: '/tmp/x', answer: { accept: { amount: 3 } }, said: { text: 'tea', model: 'm' } };
    expect(clientSideOf(spec, values).replies).toMatchObject({
      roots: [{ result: { roots: [{ uri: 'file:///tmp/x' }] } }],
      elicitation: [{ result: { action: 'accept', content: { amount: 3 } } }],
      sampling: [{ result: { content: { text: 'tea' }, model: 'm', role: 'assistant', stopReason: 'endTurn' } }],
    });
    expect(() => clientSideOf(spec, { ...values, answer: 5 })).toThrow(
      /^client\.elicitation has no right form with its values in it: expected decline, cancel, an object with accept/,
    );
    expect(() => clientSideOf(spec, { ...values, answer: '{{ temp }}' })).toThrow(
      /^client\.elicitation has no right form/,
    );
    expect(() => clientSideOf(spec, {})).toThrow('There is no value temp');
  });

  it.each<readonly [string, readonly unknown[]]>([
    [
      lines('client: { elicitation: accept }'),
      [expect.stringMatching(/^3:11 client\.elicitation: expected decline, cancel, an object with accept/)],
    ],
    [
      lines('client: { elicitation: { accpet: {} } }'),
      [
        '3:11 client.elicitation.accept: is missing: expected an object',
        '3:26 client.elicitation.accpet: there is nothing of this name; did you mean accept?',
      ],
    ],
    [lines('client: { elicitation: [] }'), ['3:11 client.elicitation: is empty: expected one element at least']],
    [lines('client: { sampling: { model: m } }'), ['3:11 client.sampling.text: is missing: expected a text']],
    [lines('client: { root: [] }'), ['3:11 client.root: there is nothing of this name; did you mean roots?']],
    [lines('client: { roots: [5] }'), [expect.stringMatching(/roots\.0: expected a URI, or an object with uri/)]],
    [
      lines('client: { sampling: "{{ answer }}" }'),
      [expect.stringMatching(/nothing defines the value answer \(nothing is captured before the server starts\)/)],
    ],
    [
      oneCase('    client: {}', '    isolation: shared'),
      [expect.stringMatching(/^7:5 cases\.0\.isolation: does not go with client: such a case has a server of its own/)],
    ],
    [
      oneCase('    expect: { asks: [elicit] }'),
      [expect.stringMatching(/asks\.0: expected elicitation, sampling, roots, or a whole method/)],
    ],
    [
      oneCase('    expect: { asks: [{ method: roots, fields: { message: x } }] }'),
      [expect.stringMatching(/this is no JSONPath \(RFC 9535\); a path begins with \$, such as \$\.message$/)],
    ],
    [
      oneCase('    expect: { notifications: [notifications/progress] }'),
      [expect.stringMatching(/progress and logs have keys of their own/)],
    ],
    [oneCase('    expect: { notifications: [] }'), [expect.stringMatching(/is empty: expected one element at least/)]],
    [
      oneCase('    load: { count: 5 }', '    expect: { notifications: [a/b] }'),
      [expect.stringMatching(/notifications: does not go with load/)],
    ],
    [
      oneCase('    load: { count: 5 }', '    expect: { asks: [roots] }'),
      [expect.stringMatching(/asks: goes with load only where the case has a client or isolation: case/)],
    ],
  ])('is refused with what to write instead: %s', async (text, mistakes) => {
    expect(await folder.mistakes(text)).toEqual(mistakes);
  });

  it.each(['    client: { roots: [] }', '    isolation: case'])(
    'is asked under load where it is alone: %s',
    async (alone) => {
      const load = ['    load: { count: 5 }', '    expect: { asks: [roots] }'];
      expect((await folder.read(oneCase(...load, alone))).cases).toHaveLength(1);
    },
  );

  it('may use values that only a case has', async () => {
    const rows = ['    each: [{ how: decline }, { how: cancel }]', '    client: { elicitation: "{{ how }}" }'];
    expect((await folder.read(oneCase(...rows))).cases).toHaveLength(2);
  });
});
