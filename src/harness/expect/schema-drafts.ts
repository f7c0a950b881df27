import type { Ajv, Options } from 'ajv/dist/ajv.js';
import type { JsonSchema } from '../../toolbox.js';

export type Draft = 'draft-07' | '2019-09' | '2020-12';
export type MakeAjv = (options: Options) => Ajv;

/** The draft that a schema says it is written in; MCP takes 2020-12 where it says none. */
export function draftOf(schema: JsonSchema | boolean): Draft {
  const said = typeof schema === 'object' && typeof schema.$schema === 'string' ? schema.$schema : '';
  if (/\/draft-0[34567]\//.test(said)) return 'draft-07';
  return said.includes('/2019-09/') ? '2019-09' : '2020-12';
}

/** Loaded with the first schema: most of the time that it takes is spent on the library. */
export async function loadDraft(draft: Draft): Promise<MakeAjv> {
  if (draft === 'draft-07') {
    const { Ajv } = await import('ajv/dist/ajv.js');
    return (options) => new Ajv(options);
  }
  if (draft === '2019-09') {
    const { Ajv2019 } = await import('ajv/dist/2019.js');
    return (options) => new Ajv2019(options);
  }
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return (options) => new Ajv2020(options);
}
