import { join } from 'node:path';
import * as z from 'zod';
import { type Interpreter, runBriefly } from './ask.js';
import { pythonPart } from './part.js';

const ability = z.object({ works: z.boolean(), reason: z.string().optional() });

const abilitiesSchema = z.discriminatedUnion('linux', [
  z.object({ linux: z.literal(false) }),
  z.object({
    linux: z.literal(true),
    kernel: z.string(),
    machine: z.string(),
    /** 0: there is none, for this reason. */
    landlock: z.object({ version: z.int(), reason: z.string().optional() }),
    seccomp: ability,
    /** The reason is of all kinds together; those that cannot be had even alone are listed. */
    namespaces: ability.extend({ refused: z.array(z.string()).default([]) }),
    processes: z.object({ boundedByNamespace: z.boolean(), countedByUser: z.boolean() }),
    cgroup: z.object({ delegated: z.boolean(), reason: z.string().optional() }),
  }),
]);

/** What this machine can do for a sandbox, found by trying. */
export type Abilities = Readonly<z.output<typeof abilitiesSchema>>;
export type LinuxAbilities = Extract<Abilities, { linux: true }>;

const mark = 'mcp-execution-abilities:';
const timeoutMs = 20_000;

/** undefined where Python does not say: an interpreter that starts may yet lack what our part needs. */
export async function findAbilities(
  { executable }: Interpreter,
  environment: NodeJS.ProcessEnv,
): Promise<Abilities | undefined> {
  const args = ['-I', '-X', 'utf8', join(pythonPart(), 'start.py'), 'abilities'];
  const { text } = await runBriefly({ path: executable, args: [] }, args, environment, timeoutMs);
  const line = text.split(/\r?\n/).findLast((candidate) => candidate.startsWith(mark));
  return line === undefined ? undefined : readAbilities(line.slice(mark.length));
}

function readAbilities(text: string): Abilities | undefined {
  try {
    return abilitiesSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
