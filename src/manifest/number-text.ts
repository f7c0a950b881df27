/** A number as Python's int() and float() read it back exactly: digits, never an exponent. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  // Only small fractions are written with an exponent: large ones are whole numbers.
  return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits}`;
}
