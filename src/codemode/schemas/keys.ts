const maxProperties = 150;
const manyKeys = 8;
const longestName = 80;

/** Whether the keys of objects are data, ids for instance, and no names: other objects will have others. */
export function hasKeysAsData(keys: readonly string[]): boolean {
  if (keys.length === 0) return false;
  if (keys.length > maxProperties || keys.some(isNoName)) return true;
  if (mostOf(keys, isSurelyData)) return true;
  return keys.length >= manyKeys && mostOf(keys, hasDigit);
}

function mostOf(keys: readonly string[], looks: (key: string) => boolean): boolean {
  return keys.filter(looks).length >= keys.length * 0.8;
}

function isNoName(key: string): boolean {
  return key === '' || key === '__proto__' || key.length > longestName;
}

function isSurelyData(key: string): boolean {
  return surelyData.some((form) => form.test(key));
}

function hasDigit(key: string): boolean {
  return /\d/.test(key);
}

const surelyData = [
  // a number, a date, a time
  /^-?\d[\d.:TZ/+-]*$/,
  // a UUID, a hash
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  /^(?=[a-f]*\d)[\da-f]{12,}$/i,
  // a mail address, a URL, a path, a sentence
  /^[^\s@]+@[^\s@]+$/,
  /^[a-z][a-z\d+.-]*:\/\//i,
  /^[~.]?\//,
  /\s.*\s/s,
] as const;
