import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  /** 1 for a child of this process, 2 for a child of that. */
  readonly depth: number;
  readonly parent: number;
}

/** All living processes below this one, whoever their parent is. */
export function descendants(root = process.pid): Process[] {
  const childrenOf = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(pid);
    if (parent !== undefined) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(pid)]);
  }
  const below = (pid: number, depth: number): Process[] =>
    (childrenOf.get(pid) ?? []).flatMap((child) => [{ pid: child, depth, parent: pid }, ...below(child, depth + 1)]);
  return below(root, 1);
}

export function openDescriptors(pid: number | 'self' = 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

function parentOf(pid: string): number | undefined {
  try {
    const [, state, parent] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' || state === 'X' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
