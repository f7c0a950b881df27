import { CallerError } from '../../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../toolbox.js';

/** More than any schema asks for, and less than writing it again as JSON could fail over. */
const deepest = 200;

/** The arguments of a call, as they came over the wire; nothing counts as none. */
export function argumentsOf(value: unknown, place: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) {
    throw new CallerError(
      'INVALID_REQUEST',
      `${place} has to be a JSON object: a value for the name of each parameter`,
    );
  }
  if (isDeeperThan(value, deepest)) {
    throw new CallerError('INVALID_REQUEST', `${place} is nested more than ${deepest} levels deep`);
  }
  return value;
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
