import * as z from 'zod';
import { createError } from '../errors.js';
import type { Discovered } from './found.js';
import { manifestScript, manifestTool } from './manifest.js';

const reportSchema = z.union([
  z.object({
    path: z.string(),
    problem: z.object({
      code: z.enum(['SYNTAX_ERROR', 'INVALID_SCRIPT']),
      message: z.string(),
      line: z.int().nullish(),
      column: z.int().nullish(),
      text: z.string().nullish(),
    }),
  }),
  z.object({
    path: z.string(),
    script: manifestScript.omit({ path: true }),
    tools: z.array(manifestTool),
    leftOut: z.array(
      z.object({
        name: z.string(),
        line: z.int().nullish(),
        why: z.string(),
        change: z.string().nullish(),
      }),
    ),
  }),
]);

/** What the discovery process says of a script, in one line; undefined where that has not the agreed form. */
export function readReport(line: string, script: string): Discovered | undefined {
  const parsed = reportSchema.safeParse(jsonOf(line));
  if (!parsed.success || parsed.data.path !== script) return undefined;
  const report = parsed.data;
  if ('problem' in report) {
    const { code, message, ...place } = report.problem;
    return { path: script, error: createError(code, message, { file: script, ...withoutNull(place) }) };
  }
  return {
    script: { ...report.script, path: script },
    tools: report.tools,
    leftOut: report.leftOut.map(({ name, why, ...rest }) => ({ script, name, why, ...withoutNull(rest) })),
  };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

type WithoutNull<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> };

function withoutNull<T extends object>(fields: T): WithoutNull<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as WithoutNull<T>;
}
