import { type Enforced, type Enforcement, enforcedAreas } from '../toolbox.js';
import type { Examination } from './examination.js';
import type { DescribedFailure } from './failure.js';
import type { ExaminedProfile } from './profiles.js';
import type { Paint } from './report.js';

const nameWidth = 25;
const areaWidth = 13;

/** A table of profiles and areas; a profile that is refused says why. */
export function describeProfiles(profiles: readonly ExaminedProfile[], paint: Paint): readonly string[] {
  if (profiles.length === 0) return [`  ${paint('dim', 'not tried')}`];
  const areas = enforcedAreas.map((area) => area.padEnd(areaWidth)).join('');
  return [row('', paint('dim', areas.trimEnd())), ...profiles.flatMap((profile) => describeProfile(profile, paint))];
}

function describeProfile(examined: ExaminedProfile, paint: Paint): readonly string[] {
  const { profile, namespaces, enforced, error, bestEffort } = examined;
  const name = namespaces === 'off' ? `${profile}, namespaces off` : profile;
  if (enforced) return [row(name, describeEnforced(enforced, paint))];
  const refused = row(name, paint('red', error ? describeRefusal(error) : 'failed'));
  return bestEffort ? [refused, row('  if less is accepted', describeEnforced(bestEffort, paint))] : [refused];
}

function describeRefusal({ code, message }: DescribedFailure): string {
  return code === 'SANDBOX_UNAVAILABLE' ? `refused: ${message}` : `failed: ${message}`;
}

function describeEnforced(enforced: Enforced, paint: Paint): string {
  const words = enforcedAreas.map((area) => enforced[area]);
  return words.map((word, index) => paintWord(word, index === words.length - 1, paint)).join('');
}

const styles = { enforced: 'green', 'best-effort': 'bold', none: 'dim' } as const;

/** Padding comes after the paint, which has a length but no width. */
function paintWord(word: Enforcement, isLast: boolean, paint: Paint): string {
  return paint(styles[word], word) + (isLast ? '' : ' '.repeat(areaWidth - word.length));
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(nameWidth)}${text}`;
}

/** Sentences to act on; nothing is said of a machine that is not known. */
export function describeAdvice({ advice, abilities }: Examination): readonly string[] {
  if (!abilities?.linux) return [];
  return advice.length > 0 ? advice.map((line) => `  ${line}`) : ['  nothing: this machine has all that strict uses'];
}
