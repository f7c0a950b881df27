import { describe, expect, it } from 'vitest';
import { advise } from '../../src/cli/advice.js';
import type { Surroundings } from '../../src/cli/surroundings.js';
import type { LinuxAbilities } from '../../src/python/abilities.js';
import { everyAbility } from './machine.js';

const whole: LinuxAbilities = { ...everyAbility, namespaces: { works: true, refused: [] } };
const withoutNamespaces: LinuxAbilities = {
  ...whole,
  namespaces: {
    works: false,
    reason: 'new namespaces are refused (clone: Operation not permitted)',
    refused: ['user'],
  },
  processes: { boundedByNamespace: false, countedByUser: false },
};
const plain: Surroundings = { user: { name: 'ada', id: 1000 }, kernelSettings: {} };

describe('advice', () => {
  it('is silent where nothing is missing, whatever else is set', () => {
    const kernelSettings = { 'kernel.unprivileged_userns_clone': '0', lsm: 'yama' };
    expect(adviceFor(whole, { kernelSettings, container: { kind: 'docker', sign: '/.dockerenv' } })).toEqual([]);
  });

  it.each([
    ['user.max_user_namespaces', '0', 'sysctl -w user.max_user_namespaces=10000'],
    ['kernel.unprivileged_userns_clone', '0', 'sysctl -w kernel.unprivileged_userns_clone=1'],
    ['kernel.apparmor_restrict_unprivileged_userns', '1', 'a profile for /usr/bin/python3 with the rule userns'],
    ['kernel.apparmor_restrict_unprivileged_userns', '1', 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'],
  ])('names the setting %s=%s that forbids namespaces', (setting, value, words) => {
    const advice = adviceFor(withoutNamespaces, { kernelSettings: { [setting]: value } });
    expect(advice).toEqual([expect.stringContaining(words)]);
  });

  it('does not name settings that root is not held to', () => {
    const kernelSettings = { 'kernel.unprivileged_userns_clone': '0' };
    const [sentence] = adviceFor(withoutNamespaces, { user: { id: 0 }, kernelSettings });
    expect(sentence).toContain('Find out what keeps this process from making namespaces');
    expect(sentence).toContain('clone: Operation not permitted');
  });

  it.each([
    ['docker', 'docker run --security-opt seccomp=PROFILE.json'],
    ['podman', 'podman run --security-opt seccomp=unconfined'],
    ['kubernetes', 'procMount: Unmasked'],
    ['lxc', 'its seccomp profile has to permit clone, mount'],
  ])('names what a container of %s needs for namespaces', (kind, words) => {
    const advice = adviceFor(withoutNamespaces, { container: { kind, sign: 'a file' } });
    expect(advice).toEqual([expect.stringContaining(words)]);
  });

  it('names the list of security modules where Landlock is not among them', () => {
    const landlock = { version: 0, reason: 'this kernel has it, but it was not switched on at boot' };
    const advice = adviceFor({ ...whole, landlock }, { kernelSettings: { lsm: 'lockdown,yama' } });
    expect(advice).toEqual([expect.stringContaining('lsm=landlock,lockdown,yama')]);
  });

  it('names the kernel that has Landlock where that list says nothing', () => {
    const landlock = { version: 0, reason: 'this kernel is without it' };
    expect(adviceFor({ ...whole, landlock }, {})).toEqual([expect.stringContaining('5.13 or newer with Landlock;')]);
    const inContainer = adviceFor({ ...whole, landlock }, { container: { kind: 'docker', sign: '/.dockerenv' } });
    expect(inContainer).toEqual([expect.stringContaining('permits landlock_create_ruleset')]);
  });

  it('asks for Landlock 6 only where no namespaces hold signals back', () => {
    const landlock = { version: 5 };
    expect(adviceFor({ ...whole, landlock }, {})).toEqual([]);
    expect(adviceFor({ ...withoutNamespaces, landlock }, {})[1]).toContain('6.12 or newer');
  });

  it('names what would bound the number of threads of root', () => {
    const processes = { boundedByNamespace: false, countedByUser: false };
    expect(adviceFor({ ...whole, processes }, { user: { id: 0 } })).toEqual([expect.stringContaining('6.14 or newer')]);
  });

  it('asks for seccomp filters', () => {
    const advice = adviceFor({ ...whole, seccomp: { works: false } }, {});
    expect(advice).toEqual([expect.stringContaining('CONFIG_SECCOMP_FILTER')]);
  });

  it('says of a machine of an unknown kind that nothing can be done', () => {
    const advice = adviceFor({ ...withoutNamespaces, machine: 'riscv64' }, {});
    expect(advice).toEqual([expect.stringContaining('does not know the system calls of riscv64')]);
  });
});

function adviceFor(abilities: LinuxAbilities, surroundings: Partial<Surroundings>): readonly string[] {
  return advise({ abilities, surroundings: { ...plain, ...surroundings }, executable: '/usr/bin/python3' });
}
