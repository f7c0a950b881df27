import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { createEngine } from '../../src/engine/engine.js';
import { sandboxUnavailable } from '../../src/engine/sandbox.js';
import type { RunResult } from '../../src/engine/work.js';
import { type Enforced, enforcedAreas } from '../../src/toolbox.js';
import { createFolder } from '../interpreter/scripts.js';
import { resultOf, type Scene, say } from './fake.js';
import { createMachine, everyAbility } from './machine.js';

const all = Object.fromEntries(enforcedAreas.map((area) => [area, 'enforced'])) as Enforced;
const refused = () => Promise.reject(sandboxUnavailable(['Landlock or namespaces']));

describe('doctor on the sandbox', () => {
  it('shows what the kernel can do, and that nothing is to be changed where it can do all', async () => {
    const { stdout } = await onMachine(['doctor'], { abilities: everyAbility });
    expect(sectionOf(stdout, 'What this machine can do for a sandbox')).toEqual([
      '  kernel           6.14.0, x86_64',
      '  Landlock         version 6',
      '  seccomp filters  yes',
      '  namespaces       permitted: user, process, mount and network',
      '  processes        their number is bounded, for root too (pid_max of a namespace)',
      '  cgroup v2        not delegated: control groups of version 2 are not mounted',
    ]);
    expect(sectionOf(stdout, 'What to change')).toEqual(['  nothing: this machine has all that strict uses']);
  });

  it('shows what is missing, what a newer Landlock would bring, and what to change', async () => {
    const abilities = {
      ...everyAbility,
      landlock: { version: 2 },
      seccomp: { works: false },
      namespaces: { works: false, reason: 'new namespaces are refused', refused: ['user'] },
      processes: { boundedByNamespace: false, countedByUser: false },
      cgroup: { delegated: true },
    };
    const { stdout } = await onMachine(['doctor'], { abilities });
    expect(sectionOf(stdout, 'What this machine can do for a sandbox').slice(1)).toEqual([
      '  Landlock         version 2',
      '                   version 3 (Linux 6.2) would bring truncate() where there are no namespaces',
      '                   version 5 (Linux 6.10) would bring commands to devices that are refused',
      '                   version 6 (Linux 6.12) would bring signals to other processes that are refused whatever a script may start',
      '  seccomp filters  none: refused',
      '  namespaces       not permitted: new namespaces are refused; refused even alone: user',
      '  processes        their number is not bounded',
      '  cgroup v2        delegated',
    ]);
    expect(sectionOf(stdout, 'What to change').join()).toContain('Use a kernel with seccomp filters');
  });

  it('shows what each profile enforces, in the order of their calls', async () => {
    const { stdout } = await onMachine(['doctor'], {
      engine: inTurn(resultOf(true), resultOf(true), held(all), held({ ...all, disk: 'best-effort' })),
    });
    expect(sectionOf(stdout, 'What each profile enforces here, shown by a call')).toEqual([
      '                           files        network      processes    memory       cpu          disk',
      '  trusted                  none         none         none         enforced     enforced     none',
      '  strict                   enforced     enforced     enforced     enforced     enforced     enforced',
      '  strict, namespaces off   enforced     enforced     enforced     enforced     enforced     best-effort',
    ]);
  });

  it('shows a strict profile that is refused, and what it would hold if less were accepted', async () => {
    const { exitCode, stdout } = await onMachine(['doctor'], {
      engine: inTurn(resultOf(true), resultOf(true), refused, held({ ...all, files: 'none' }), held(all)),
    });
    const [, , refusal, less] = sectionOf(stdout, 'What each profile enforces here, shown by a call');
    expect(refusal).toMatch(/^ {2}strict +refused: .* Missing: Landlock or namespaces\./);
    expect(less).toMatch(/^ {4}if less is accepted +none +enforced/);
    expect(exitCode).toBe(0);
  });

  it('ends with 3 where strict was asked for and is refused', async () => {
    const { exitCode, stdout } = await onMachine(['doctor', '--profile', 'strict'], { engine: { run: refused } });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('failed: SANDBOX_UNAVAILABLE: ');
  });

  it('shows a profile under which no call passes', async () => {
    const broken = () => Promise.reject(new Error('no process'));
    const { stdout } = await onMachine(['doctor'], { engine: inTurn(resultOf(true), resultOf(true), broken, broken) });
    expect(stdout).toMatch(/\n {2}strict +failed: no process\n/);
  });

  it('does without what Python does not say', async () => {
    const { exitCode, stdout } = await onMachine(['doctor'], {});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('not known: a Python process finds out, and none did');
    expect(stdout).not.toContain('What to change');
  });

  it('does without Python', async () => {
    const home = await createFolder();
    const { exitCode, stdout } = await say(['doctor'], { environment: { PATH: home, HOME: home } });
    expect(exitCode).toBe(3);
    expect(sectionOf(stdout, 'What each profile enforces here, shown by a call')).toEqual(['  not tried']);
  });

  it.each([
    ['darwin', 'sandbox-exec of macOS'],
    ['win32', 'a job object of Windows'],
    ['freebsd', 'Strict is enforced on Linux alone.'],
  ])('says plainly that %s cannot enforce strict', async (platform, words) => {
    const { stdout } = await onMachine(['doctor'], { abilities: { linux: false }, platform });
    expect(sectionOf(stdout, 'What this machine can do for a sandbox').join()).toContain(words);
    expect(stdout).not.toContain('What to change');
  });

  it('says as JSON what it says to people', async () => {
    const { stdout } = await onMachine(['doctor', '--json'], { abilities: everyAbility });
    expect(JSON.parse(stdout)).toMatchObject({
      surroundings: { user: { id: process.getuid?.() } },
      abilities: { landlock: { version: 6 }, namespaces: { works: true, refused: [] } },
      profiles: [{ profile: 'trusted' }, { namespaces: 'auto' }, { namespaces: 'off', enforced: { files: 'none' } }],
      advice: [],
    });
  });

  it.runIf(process.platform === 'linux')('tells the truth about this machine', async () => {
    const { exitCode, abilities, profiles } = await examineHere();
    const [trusted, strict, alone] = profiles;
    expect(exitCode).toBe(0);
    expect(trusted.enforced).toMatchObject({ files: 'none', cpu: 'enforced' });
    const canFilter = abilities.seccomp.works;
    expect(strict.enforced !== undefined).toBe(
      canFilter && (abilities.landlock.version > 0 || abilities.namespaces.works),
    );
    expect(alone.enforced !== undefined).toBe(canFilter && abilities.landlock.version > 0);
    if (!strict.enforced) return;
    const { boundedByNamespace, countedByUser } = abilities.processes;
    expect(strict.enforced.disk === 'enforced').toBe(abilities.namespaces.works);
    expect(strict.enforced.processes === 'enforced').toBe(boundedByNamespace || countedByUser);
  });
});

async function onMachine(words: readonly string[], scene: Scene & Parameters<typeof createMachine>[0]) {
  const { environment } = await createMachine(scene);
  return say(words, { ...scene, environment });
}

async function examineHere() {
  let stdout = '';
  const exitCode = await main(['doctor', '--json'], {
    out: (text) => {
      stdout += text;
    },
    note() {},
    watched: false,
    colours: false,
    environment: process.env,
    interrupt: new AbortController().signal,
    createEngine: async (settings) => createEngine(settings),
  });
  return { exitCode, ...JSON.parse(stdout) };
}

/** An engine that answers each run with the next outcome, and with the last one from then on. */
function inTurn(...outcomes: readonly (RunResult | (() => Promise<RunResult>))[]) {
  let turn = 0;
  return {
    run: async () => {
      const outcome = outcomes[Math.min(turn++, outcomes.length - 1)] ?? resultOf(true);
      return typeof outcome === 'function' ? outcome() : outcome;
    },
  };
}

function held(enforced: Enforced): RunResult {
  const { figures, ...rest } = resultOf(true);
  return { ...rest, figures: { ...figures, profile: 'strict', enforced } };
}

/** The lines below a heading. */
function sectionOf(text: string, heading: string): readonly string[] {
  const [, section = ''] = text.split(`${heading}\n`);
  return (section.split('\n\n')[0] ?? '').split('\n');
}
