import { isJsonObject, type JsonObject, type Tool } from '../../toolbox.js';
import { isList } from '../expect/json.js';

export function propertiesOf({ inputSchema }: Tool): JsonObject {
  return isJsonObject(inputSchema) && isJsonObject(inputSchema.properties) ? inputSchema.properties : {};
}

export function requiredOf({ inputSchema }: Tool): readonly string[] {
  if (!isJsonObject(inputSchema) || !isList(inputSchema.required)) return [];
  return inputSchema.required.filter((name) => typeof name === 'string');
}
