import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { tellsTime } from './moments.js';

/** Whether a text is of this moment or of this machine, so that it is another elsewhere and later. */
export type IsPassing = (text: string) => boolean;

const shortestPlace = 4;
const shortestValue = 3;
const shownValues = ['HOME', 'USER', 'LOGNAME', 'HOSTNAME', 'SHELL', 'TERM', 'LANG', 'PWD', 'PATH', 'TMPDIR'];

/** By what is known of the machine, for texts that came at different times. */
export function createPassing(environment: NodeJS.ProcessEnv): (now: Date) => IsPassing {
  const places = [
    homedir(),
    tmpdir(),
    process.cwd(),
    hostname(),
    environment.HOME,
    environment.PWD,
    environment.TMPDIR,
  ];
  const contained = [...new Set(places.filter((place) => place !== undefined && place.length >= shortestPlace))];
  const values = [userName(), ...shownValues.map((name) => environment[name])];
  const whole = new Set(values.filter((value) => value !== undefined && value.length >= shortestValue));
  const isOfMachine = (text: string) =>
    whole.has(text) || contained.some((place) => place !== undefined && text.includes(place));
  return (now) => (text) => isOfMachine(text) || tellsTime(text, now);
}

/** A user without an entry has no name. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
