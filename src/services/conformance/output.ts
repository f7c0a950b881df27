/** What the official suite says of a run while it goes on. */
export interface SuiteOutput {
  /** Takes one line, of either stream. */
  take(line: string): void;
  /** In the order in which they were begun. */
  readonly begun: readonly BegunScenario[];
  /** How many there are to be; undefined where it was not said. */
  readonly total: number | undefined;
  /** Scenarios that are run and do not count, with the reason. */
  readonly unscored: ReadonlyMap<string, string>;
  /** Scenarios that the chosen revision does not have, with the reason. */
  readonly inapplicable: ReadonlyMap<string, string>;
  /** Names that it lists after one that it does not know. */
  readonly available: readonly string[];
  /** The last lines, for a run that came to nothing. */
  readonly last: readonly string[];
}

export interface BegunScenario {
  readonly name: string;
  readonly atMs: number;
  /** Why it could not be run, where the suite says so. */
  problem?: string;
}

const keptLines = 15;
const longestLine = 1000;
const mostScenarios = 1000;

export function createSuiteOutput(now: () => number = () => performance.now()): SuiteOutput {
  const begun: BegunScenario[] = [];
  const unscored = new Map<string, string>();
  const inapplicable = new Map<string, string>();
  const available: string[] = [];
  const last: string[] = [];
  let total: number | undefined;
  let listing: 'unscored' | 'available' | undefined;

  return {
    begun,
    unscored,
    inapplicable,
    available,
    last,
    get total() {
      return total;
    },
    take(line) {
      keep(line);
      const [, count] = /^Running .+ \((\d+) scenarios\) against /.exec(line) ?? [];
      if (count !== undefined) total = Number(count);
      const [, name] =
        /^=== Running scenario: (\S+) ===$/.exec(line) ?? /^Running client scenario '(\S+)' /.exec(line) ?? [];
      if (name !== undefined) begin(name);
      const [, failed, problem = ''] = /^Failed to run scenario (\S+): (.*)$/.exec(line) ?? [];
      if (failed !== undefined) tellProblem(failed, problem);
      const [, skipped, why = ''] = /^SKIPPED: scenario '(\S+)' is (.*?)\.? Use --force/.exec(line) ?? [];
      if (skipped !== undefined) inapplicable.set(skipped, why);
      takeListed(line);
    },
  };

  function keep(line: string): void {
    if (line.trim() === '') return;
    last.push(line.slice(0, longestLine));
    if (last.length > keptLines) last.shift();
  }

  function begin(name: string): void {
    if (begun.at(-1)?.name !== name && begun.length < mostScenarios) begun.push({ name, atMs: now() });
  }

  function tellProblem(name: string, problem: string): void {
    const scenario = begun.find((each) => each.name === name);
    if (scenario) scenario.problem = problem.slice(0, longestLine);
  }

  function takeListed(line: string): void {
    if (line.startsWith('Not scored for ')) listing = 'unscored';
    else if (line.startsWith('Available server scenarios:')) listing = 'available';
    else if (listing === 'unscored') {
      const [, name, reason = ''] = /^ {2}[\u2713\u2717] (\S+) \((.*)\)$/.exec(line) ?? [];
      if (name !== undefined) unscored.set(name, reason);
    } else if (listing === 'available') {
      const [, name] = /^ {2}- (\S+)$/.exec(line) ?? [];
      if (name !== undefined && available.length < mostScenarios) available.push(name);
    }
  }
}
