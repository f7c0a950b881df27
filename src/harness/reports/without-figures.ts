import { isJsonObject, type JsonValue } from '../../toolbox.js';

const figures = 'mcp-execution/figures';

/** An answer of a script of ours says what the call took, too; people look for the rest of it. */
export function withoutFigures(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value._meta) || !Object.hasOwn(value._meta, figures)) return value;
  const { _meta, ...rest } = value;
  const { [figures]: _figures, ...others } = value._meta;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}
