import type { JsonSchema, JsonValue } from '../../toolbox.js';
import { emptyShape, observe, type Shape } from './shape.js';
import { schemaOf, shapeOf } from './shape-schema.js';

/** A schema (2020-12) that all the samples fit, and that says no more of them than they show. */
export function inferSchema(samples: readonly JsonValue[]): JsonSchema {
  return schemaOf(observeAll(emptyShape(), samples));
}

/** An inferred schema, so wide that these samples fit as well. One that was not inferred here becomes open. */
export function widenSchema(schema: JsonSchema, samples: readonly JsonValue[]): JsonSchema {
  return schemaOf(observeAll(shapeOf(schema), samples));
}

function observeAll(shape: Shape, samples: readonly JsonValue[]): Shape {
  for (const sample of samples) observe(shape, sample);
  return shape;
}
