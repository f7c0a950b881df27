import type { KnownTool } from '../known-tools.js';
import type { ToolNames } from './names.js';
import { type Input, readInput } from './parameters.js';
import { createTypeNames, type TypeNames } from './type-names.js';
import { createTypeReader } from './type-reader.js';
import { anyType, type Declaration, type ValueType } from './value-type.js';

/** A tool as it is understood: what its function takes and gives, and the types of both. */
export interface UnderstoodTool {
  readonly input: Input;
  readonly result: ValueType;
  readonly declarations: readonly Declaration[];
}

/** `types` are the names of types in the file that the tool is written to: one of its own unless said. */
export function understand(known: KnownTool, names: ToolNames, types: TypeNames = ownTypeNames(names)): UnderstoodTool {
  const { tool, result } = known;
  const declarations: Declaration[] = [];
  const declare = (one: Declaration) => declarations.push(one);
  const input = readInput(tool.inputSchema, createTypeReader(tool.inputSchema, types, declare), names.function);
  const reader = result && createTypeReader(result.schema, types, declare);
  const given = reader?.typeOf(result?.schema, `${names.function} result`) ?? anyType;
  return { input, result: given, declarations };
}

function ownTypeNames(names: ToolNames): TypeNames {
  return createTypeNames([names.function, names.asyncFunction]);
}
