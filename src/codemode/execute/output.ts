import type { CallEvent, JsonValue } from '../../toolbox.js';
import type { CutOutput, OutputName } from '../code-execution.js';
import { cutText, withGap } from './cut.js';
import type { KeptRuns } from './kept-runs.js';
import { createStreamCopy, type StreamCopy } from './stream-copy.js';

/** The output of one run: shown in part where it is long, and then kept whole. */
export interface RunOutput {
  /** A promise where the script should wait. */
  take(event: CallEvent): Promise<void> | undefined;
  finish(written: Written): Promise<ShownOutput>;
}

/** As the runner captured it; of very long output it leaves out the middle itself, and says so. */
export interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly value: JsonValue;
}

export interface ShownOutput extends Written {
  readonly cut: readonly CutOutput[];
  /** Of all that was written. */
  readonly bytes: number;
}

export interface RunOutputOptions {
  readonly run: string;
  readonly kept: KeptRuns;
  readonly shownBytes: number;
}

const cutByRunner = /\[… \d+ bytes cut …\]\n/;

export function createRunOutput({ run, kept, shownBytes }: RunOutputOptions): RunOutput {
  const copies = { stdout: copyOf('stdout'), stderr: copyOf('stderr') };

  return {
    take: (event) => (event.type === 'output' ? copies[event.stream].add(event.line) : undefined),
    async finish({ stdout, stderr, value }) {
      const shown = {
        stdout: await finishStream('stdout', stdout),
        stderr: await finishStream('stderr', stderr),
        value: await finishValue(value),
      };
      const cut = [shown.stdout.cut, shown.stderr.cut, shown.value.cut].filter((one) => one !== undefined);
      if (cut.some(({ file }) => file !== undefined)) await kept.prune();
      return {
        stdout: shown.stdout.text,
        stderr: shown.stderr.text,
        value: shown.value.cut ? null : value,
        cut,
        bytes: shown.stdout.bytes + shown.stderr.bytes + shown.value.bytes,
      };
    },
  };

  function copyOf(stream: 'stdout' | 'stderr'): StreamCopy {
    return createStreamCopy(kept.isOff ? undefined : () => kept.spill(run, stream));
  }

  async function finishStream(stream: 'stdout' | 'stderr', text: string): Promise<Shown> {
    const isWhole = !cutByRunner.test(text);
    const parts = cutText(text, shownBytes);
    if (isWhole && !parts) {
      await copies[stream].drop();
      return { text, bytes: Buffer.byteLength(text) };
    }
    const bytes = isWhole ? Buffer.byteLength(text) : copies[stream].bytes;
    const isKept = isWhole ? await keepText(stream, text) : await keepCopy(stream);
    const shown = parts ?? { head: text, tail: '', shownBytes: Buffer.byteLength(text) };
    return describe(stream, { ...shown, bytes, isKept });
  }

  async function finishValue(value: JsonValue): Promise<Shown> {
    const text = JSON.stringify(value) ?? 'null';
    const bytes = Buffer.byteLength(text);
    const parts = cutText(text, shownBytes);
    if (!parts) return { text, bytes: value === null ? 0 : bytes };
    return describe('value', { ...parts, bytes, isKept: await keepText('value', text) });
  }

  /** What the runner captured is exact, so that it takes the place of the copy made of events. */
  async function keepText(stream: OutputName, text: string): Promise<boolean> {
    if (stream !== 'value') await copies[stream].drop();
    return !kept.isOff && (await kept.write(run, stream, text));
  }

  async function keepCopy(stream: 'stdout' | 'stderr'): Promise<boolean> {
    const held = copies[stream].held;
    if (held === undefined) return copies[stream].end();
    return !kept.isOff && (await kept.write(run, stream, held));
  }

  function describe(stream: OutputName, facts: CutFacts): Shown {
    const { head, tail, bytes, isKept, shownBytes: shown } = facts;
    const text = withGap({ head, tail, shownBytes: shown }, gapLine(stream, bytes - shown, isKept));
    const cut = {
      stream,
      bytes,
      shownBytes: shown,
      ...(isKept && { file: kept.pathOf(run, stream) }),
      ...(stream === 'value' && { shown: text }),
    };
    return { text, bytes, cut };
  }

  function gapLine(stream: OutputName, leftOut: number, isKept: boolean): string {
    if (!isKept) return `[… ${leftOut} bytes of ${stream} are left out, and were not kept …]`;
    const way = `from mcp_execution import read_output; read_output("${run}"${stream === 'stdout' ? '' : `, "${stream}"`})`;
    return `[… ${leftOut} bytes of ${stream} are left out. All of it, in a next script: ${way} …]`;
  }
}

interface Shown {
  readonly text: string;
  readonly bytes: number;
  readonly cut?: CutOutput;
}

interface CutFacts {
  readonly head: string;
  readonly tail: string;
  readonly shownBytes: number;
  readonly bytes: number;
  readonly isKept: boolean;
}
