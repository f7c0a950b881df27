import type { JsonValue } from '../../toolbox.js';

/** Why a suite cannot say this input. */
export function unsayable(input: JsonValue | undefined): string | undefined {
  const isLost = input !== undefined && JSON.stringify(input).includes('"__proto__":');
  return isLost ? 'its input has a key __proto__, which a suite cannot say' : undefined;
}
