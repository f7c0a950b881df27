import { errorTable } from '../errors.js';
import type { Examination, ExaminedLimit, ExaminedScript } from './examination.js';
import type { DescribedFailure } from './failure.js';
import { describeAbilities, describeSurroundings } from './report-machine.js';
import { describeAdvice, describeProfiles } from './report-profiles.js';

export type Paint = (style: 'bold' | 'green' | 'red' | 'dim', text: string) => string;

/** An examination as a person reads it. */
export function describeExamination(examination: Examination, paint: Paint): string {
  const { version, node, platform, surroundings, python, profiles, limits, scripts } = examination;
  const sections = [
    [`mcp-execution ${version}, Node ${node}, ${platform}`, describeSurroundings(surroundings)],
    headed('Python', describePython(python, paint)),
    headed('Test call', describeTestCall(examination, paint)),
    headed('What this machine can do for a sandbox', describeAbilities(examination, paint)),
    headed('What each profile enforces here, shown by a call', describeProfiles(profiles, paint)),
    headed('Limits of a call', describeLimits(limits)),
    headed(
      'Scripts',
      scripts.flatMap((script) => describeScript(script, paint)),
    ),
    headed('What to change', describeAdvice(examination)),
    [`Cache folder: ${examination.cacheFolder ?? 'none, because it cannot be written to'}`],
  ];
  const written = sections.filter((lines) => lines.length > 0);
  return `${written.map((lines) => lines.join('\n')).join('\n\n')}\n`;

  function headed(title: string, lines: readonly string[]): readonly string[] {
    return lines.length === 0 ? [] : [paint('bold', title), ...lines];
  }
}

function describePython({ chosen, origin, tried }: Examination['python'], paint: Paint): readonly string[] {
  const also = chosen === undefined ? 'tried' : 'also tried';
  const others = tried
    .filter((attempt) => attempt.origin !== origin)
    .map(({ origin: place, path, interpreter, problem }) => {
      const outcome = problem ?? `Python ${interpreter?.version}, not needed`;
      return paint('dim', `  ${also} ${[place, path, outcome].filter(Boolean).join(': ')}`);
    });
  if (chosen === undefined)
    return [
      `  ${paint('red', errorTable.PYTHON_NOT_FOUND.meaning)}`,
      ...others,
      `  ${errorTable.PYTHON_NOT_FOUND.advice}`,
    ];
  const environment = chosen.prefix === chosen.basePrefix ? '' : `, virtual environment ${chosen.prefix}`;
  return [
    `  ${paint('green', chosen.version)} ${chosen.executable}, found by ${origin}${environment}`,
    chosen.canFork
      ? '  processes can be forked ahead of their call'
      : '  processes cannot be forked here; interpreters are started ahead of their call instead',
    ...others,
  ];
}

function describeTestCall({ testCall }: Examination, paint: Paint): readonly string[] {
  if (testCall.figures !== undefined) {
    const { launcher, wallMs, launcherReason } = testCall.figures;
    const reason = launcherReason === undefined ? '' : ` (${launcherReason})`;
    return [`  ${paint('green', 'works')}, launcher ${launcher}${reason}, ${wallMs.toFixed(1)} ms`];
  }
  if (testCall.error === undefined) return [`  ${paint('dim', 'not made')}`];
  return [`  ${paint('red', 'failed')}: ${describeError(testCall.error)}`];
}

function describeLimits(limits: readonly ExaminedLimit[]): readonly string[] {
  const nameWidth = Math.max(...limits.map(({ name }) => name.length));
  const values = limits.map(({ value }) => value?.toLocaleString('en') ?? 'no limit');
  const valueWidth = Math.max(...values.map((value) => value.length));
  return limits.map(({ name, enforcement }, index) => {
    const wording = enforcement === 'none' ? 'not enforced' : enforcement;
    return `  ${name.padEnd(nameWidth)}  ${(values[index] ?? '').padStart(valueWidth)}  ${wording}`;
  });
}

function describeScript(examined: ExaminedScript, paint: Paint): readonly string[] {
  if ('error' in examined) {
    const { line, advice } = examined.error;
    const place = line === undefined ? '' : `, line ${line}`;
    const lines = [`  ${paint('red', `${examined.script}${place}`)}: ${describeError(examined.error)}`];
    return advice === undefined ? lines : [...lines, `    ${paint('dim', advice)}`];
  }
  const { launcher = 'unknown', launcherReason } = examined.status ?? {};
  const reason = launcherReason === undefined ? '' : ` (${launcherReason})`;
  return [`  ${paint('green', examined.script)}: imports, launcher ${launcher}${reason}`];
}

function describeError({ code, message }: DescribedFailure): string {
  return code === undefined ? message : `${code}: ${message}`;
}
