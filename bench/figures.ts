/** The value below which the given part of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** Three digits that matter. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function megabytes(bytes: number): string {
  return rounded(bytes / 1024 / 1024);
}
