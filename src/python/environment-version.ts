/** Whether a Python release satisfies a version specifier of PEP 440, as in `>=3.11,<4` or `==3.12.*`; undefined where it cannot be read. */
export function satisfies(release: readonly number[], specifier: string): boolean | undefined {
  const clauses = specifier
    .split(',')
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
  const answers = clauses.map((clause) => satisfiesClause(release, clause));
  return answers.includes(undefined) ? undefined : answers.every((answer) => answer === true);
}

const clausePattern = /^(===|==|!=|~=|>=|<=|>|<)\s*v?(\d+(?:\.\d+)*)(\.\*)?((?:a|b|rc|\.?dev|\.?post)\d*)?$/;

function satisfiesClause(release: readonly number[], clause: string): boolean | undefined {
  const match = clausePattern.exec(clause);
  if (match === null) return undefined;
  const [, operator = '', digits = '', wildcard, suffix] = match;
  const wanted = digits.split('.').map(Number);
  if (wildcard !== undefined) return satisfiesPrefix(release, operator, wanted, suffix);
  // A Python in use is a release: it comes after every pre-release of its version.
  const order = compare(release, wanted) || (isBeforeRelease(suffix) ? 1 : 0);
  switch (operator) {
    case '==':
    case '===':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    default:
      return wanted.length < 2 ? undefined : order >= 0 && startsWith(release, wanted.slice(0, -1));
  }
}

function satisfiesPrefix(
  release: readonly number[],
  operator: string,
  prefix: readonly number[],
  suffix: string | undefined,
): boolean | undefined {
  if (suffix !== undefined || (operator !== '==' && operator !== '!=')) return undefined;
  return startsWith(release, prefix) === (operator === '==');
}

function isBeforeRelease(suffix: string | undefined): boolean {
  return suffix !== undefined && !suffix.includes('post');
}

function startsWith(release: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((part, index) => part === (release[index] ?? 0));
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
