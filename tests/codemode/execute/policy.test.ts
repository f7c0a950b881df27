import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/codemode/code-execution.js';
import {
  decide,
  declaresReadOnly,
  type HostPolicy,
  intersect,
  type JudgedTool,
  readHostPolicy,
  readRunPolicy,
  slipsIn,
} from '../../../src/codemode/execute/policy.js';

const servers = ['github', 'git', 'slack', 'a__b', 'a'];
const free: HostPolicy = { denyTools: [], readOnly: false, askTools: [] };

describe('a pattern', () => {
  it.each([
    ['github', 'github/create_issue', true],
    ['github', 'git/log', false],
    ['git*', 'github/create_issue', true],
    ['*', 'slack/post', true],
    ['github/create_issue', 'github/create_issue', true],
    ['github/create_issue', 'github/create_issues', false],
    ['github__create_issue', 'github/create_issue', true],
    ['github/*_issue', 'github/create_issue', true],
    ['github/*_issue', 'github/create_issues', false],
    ['*/delete_*', 'slack/delete_message', true],
    ['*/delete', 'slack/undelete', false],
    ['a__b__c', 'a__b/c', true],
    ['a__b__c', 'a/b__c', true],
    ['a/b/c', 'a/b/c', true],
    ['**', 'slack/post', true],
    ['g*b', 'gb/x', true],
    ['g*gb', 'gb/x', false],
    ['GITHUB', 'github/create_issue', false],
    ['git.ub', 'github/create_issue', false],
  ])('%s matches %s: %s', (pattern, called, expected) => {
    const [server = '', ...tool] = called.split('/');
    const policy = readHostPolicy({ ...free, allowTools: [pattern] });
    expect(decide(policy, { server, tool: tool.join('/'), isReadOnly: false }).kind === 'allowed').toBe(expected);
  });

  it.each([[''], [' github'], ['github '], ['/tool'], ['server/'], ['/'], ['x'.repeat(600)], [7], [null]])(
    '%j is refused',
    (pattern) => {
      const policy = { deny: [pattern] } as unknown as Policy;
      expect(() => readRunPolicy(policy, servers)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
    },
  );

  it('is one of a thousand at the most', () => {
    const deny = Array.from({ length: 1001 }, () => 'github');
    expect(() => readRunPolicy({ deny }, servers)).toThrow('policy.deny has 1001 patterns; 1000 are the most');
  });

  it('with very many stars is judged at once', () => {
    const policy = readHostPolicy({ ...free, denyTools: [`${'*a'.repeat(200)}b`] });
    const decision = decide(policy, { server: 'a'.repeat(5000), tool: 'x', isReadOnly: true });
    expect(decision.kind).toBe('allowed');
  });
});

describe('a policy', () => {
  const create = { server: 'github', tool: 'create_issue', isReadOnly: false };

  it('that is not given permits everything', () => {
    expect(decide(intersect(readHostPolicy(free), readRunPolicy(undefined, servers)), create)).toEqual({
      kind: 'allowed',
    });
  });

  it('forbids what deny names, whatever allow names, and says which rule it was', () => {
    const policy = readHostPolicy({ ...free, allowTools: ['github/create_issue'], denyTools: ['git*'] });
    expect(decide(policy, create)).toEqual({ kind: 'refused', reason: '--deny-tools forbids "git*"' });
  });

  it('forbids what allow leaves out, and says what would permit it', () => {
    const decision = decide(readHostPolicy({ ...free, allowTools: ['slack'] }), create);
    expect(decision).toMatchObject({ reason: expect.stringContaining('--allow-tools github/create_issue') });
    expect(decide(readHostPolicy({ ...free, allowTools: [] }), create).kind).toBe('refused');
  });

  it('that is read-only permits only what changes nothing', () => {
    const policy = readRunPolicy({ readOnly: true }, servers);
    expect(decide(policy, create)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('policy.readOnly'),
    });
    expect(decide(policy, { ...create, isReadOnly: true }).kind).toBe('allowed');
  });

  it('asks for what ask names, unless it is forbidden', () => {
    const ask = readHostPolicy({ ...free, askTools: ['github'] });
    expect(decide(ask, create).kind).toBe('ask');
    expect(decide(intersect(ask, readRunPolicy({ deny: ['github'] }, servers)), create).kind).toBe('refused');
  });

  it('of a run that names a server that there is not is refused, because it may be a slip', () => {
    const slip = () => readRunPolicy({ deny: ['gihub/delete_repo'] }, servers);
    expect(slip).toThrow(/policy\.deny names the server "gihub".*Did you mean github\?/);
    expect(() => readRunPolicy({ deny: ['other*'] }, servers)).not.toThrow();
    expect(() => readRunPolicy({ deny: ['a__b__c'] }, servers)).not.toThrow();
  });

  it('of the host that names a server that there is not is told of', () => {
    const policy = readHostPolicy({ ...free, denyTools: ['gihub', 'slack', 'x*'] });
    expect(slipsIn(policy, servers)).toEqual([expect.stringMatching(/^"gihub" .*Did you mean github/)]);
  });

  it.each([[{ deny: 'github' }], [{ readOnly: 'yes' }], [{ allowed: ['github'] }], [[]], [7], [{ ask: [['github']] }]])(
    '%j is refused',
    (policy) => {
      const read = () => readRunPolicy(policy as unknown as Policy, servers);
      expect(read).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }));
    },
  );

  it('made of two is never wider than either', () => {
    const pattern = fc
      .tuple(fc.constantFrom('github', 'g*', '*', 'slack', 'a__b'), fc.constantFrom('', '/*', '/read', '__r*', '/*e*'))
      .map(([server, tool]) => `${server}${tool}`);
    const patterns = fc.array(pattern, { maxLength: 3 });
    const policy = fc.record(
      { allow: patterns, deny: patterns, ask: patterns, readOnly: fc.boolean() },
      { requiredKeys: [] },
    );
    const judged: fc.Arbitrary<JudgedTool> = fc.record({
      server: fc.constantFrom(...servers),
      tool: fc.constantFrom('read', 'write', 'remove'),
      isReadOnly: fc.boolean(),
    });
    const strictness = { allowed: 0, ask: 1, refused: 2 } as const;
    fc.assert(
      fc.property(policy, policy, judged, (one, other, tool) => {
        const host = readHostPolicy({
          allowTools: one.allow,
          denyTools: one.deny ?? [],
          readOnly: one.readOnly ?? false,
          askTools: one.ask ?? [],
        });
        const run = readRunPolicy(other, servers);
        const [ofBoth, ofHost, ofRun] = [intersect(host, run), host, run].map(
          (each) => strictness[decide(each, tool).kind],
        );
        return ofBoth === Math.max(ofHost ?? 0, ofRun ?? 0);
      }),
    );
  });
});

describe('a tool', () => {
  it('counts as read-only by its own clear word alone', () => {
    expect(declaresReadOnly({ annotations: { readOnlyHint: true } })).toBe(true);
    expect(declaresReadOnly({ annotations: { readOnlyHint: true, destructiveHint: false } })).toBe(true);
    expect(declaresReadOnly({ annotations: { readOnlyHint: true, destructiveHint: true } })).toBe(false);
    expect(declaresReadOnly({ annotations: { readOnlyHint: 'true' } })).toBe(false);
    expect(declaresReadOnly({})).toBe(false);
  });
});
