import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxLineBytes } from '../../src/engine/lines.js';
import { createOutput, type RedrawProgress } from '../../src/engine/output.js';
import { anyBytes, anyCuts, chunked } from './chunks.js';

const mark = Buffer.from(`\0${'0123456789abcdef'.repeat(2)}\0`);

describe('lines', () => {
  it('end with a newline, with or without a carriage return', () => {
    const { lines, text } = read(['one\ntwo\r\n\nfour\n']);
    expect(lines).toEqual(['one', 'two', '', 'four']);
    expect(text).toBe('one\ntwo\n\nfour\n');
  });

  it('are told as soon as they are complete, and the last one without newline at the end', () => {
    const lines: string[] = [];
    const output = createOutput({ maxCapturedBytes: 100, onLine: (line) => lines.push(line) });
    output.push(Buffer.from('first\nsec'));
    expect(lines).toEqual(['first']);
    output.push(Buffer.from('ond\nrest'));
    expect(lines).toEqual(['first', 'second']);
    output.end();
    output.end();
    output.push(Buffer.from('after the end\n'));
    expect(lines).toEqual(['first', 'second', 'rest']);
    expect([output.text, output.bytes]).toEqual(['first\nsecond\nrest', 17]);
  });

  it('come whole when characters are split over chunks', () => {
    const bytes = Buffer.from('é漢🐍\n');
    expect(read([...bytes].map((byte) => Buffer.from([byte]))).lines).toEqual(['é漢🐍']);
  });

  it('longer than the largest are told in pieces that split no character, and captured in one', () => {
    const line = `x${'é'.repeat(maxLineBytes)}`;
    const { lines, text } = read([`${line}\nnext\n`], { maxCapturedBytes: 1_000_000 });
    expect(lines.map((piece) => Buffer.byteLength(piece))).toEqual([maxLineBytes - 1, maxLineBytes, 2, 4]);
    expect(lines.slice(0, 3).join('')).toBe(line);
    expect(text).toBe(`${line}\nnext\n`);
  });

  it('of exactly the largest size come in one', () => {
    const line = 'x'.repeat(maxLineBytes);
    for (const chunks of [[`${line}\n`], [line, '\n'], ['x', line.slice(1), '\r', '\n']]) {
      expect(read(chunks).lines).toEqual([line]);
    }
  });
});

describe('captured text', () => {
  it('keeps head and tail of a flood, with a mark between', () => {
    const { text, bytes, cutBytes } = read(['a'.repeat(80), 'b'.repeat(20), '\nthe end\n'], { maxCapturedBytes: 32 });
    expect(text).toBe(`${'a'.repeat(24)}\n[… 77 bytes cut …]\nthe end\n`);
    expect([bytes, cutBytes]).toEqual([109, 77]);
  });

  it('marks bytes that are not UTF-8, and says how many', () => {
    const one = read([Buffer.from('caf\xe9\n', 'latin1')]);
    expect(one.lines).toEqual(['caf\uFFFD']);
    expect(one.text).toBe('caf\uFFFD\n[… 1 byte was not UTF-8 and was replaced]\n');
    const more = read([Buffer.from([0xff, 0x0a, 0xfe, 0xfd])]);
    expect(more.text).toBe('\uFFFD\n\uFFFD\uFFFD\n[… 3 bytes were not UTF-8 and were replaced]\n');
    expect(more.replacedBytes).toBe(3);
  });

  it('does not mark a replacement character that the script itself wrote', () => {
    expect(read(['\uFFFD\n'])).toMatchObject({ text: '\uFFFD\n', replacedBytes: 0 });
  });
});

describe('a line redrawn with carriage returns', () => {
  it('is told as progress and leaves its last state', () => {
    const bar = ['\r  0%|          | 0/3', '\r 33%|███       | 1/3', '\r100%|██████████| 3/3', '\ndone\n'];
    for (const chunks of [bar, [bar.join('')]]) {
      const { lines, progress, text } = read(chunks);
      expect(progress).toEqual([
        { done: 0, total: 3, message: '0%|          | 0/3' },
        { done: 1, total: 3, message: '33%|███       | 1/3' },
        { done: 3, total: 3, message: '100%|██████████| 3/3' },
      ]);
      expect(lines).toEqual(['100%|██████████| 3/3', 'done']);
      expect(text).toBe('100%|██████████| 3/3\ndone\n');
    }
  });

  it('is told when it is drawn, not when it is drawn over', () => {
    const progress: number[] = [];
    const output = createOutput({ maxCapturedBytes: 100, onProgress: ({ done }) => progress.push(done) });
    output.push(Buffer.from('\r10%'));
    expect(progress).toEqual([10]);
    output.push(Buffer.from('\r20%'));
    expect(progress).toEqual([10, 20]);
  });

  it.each([
    ['512k/1.50M [00:01<00:02]', 512_000, 1_500_000],
    ['1.5GiB / 3GiB', 1_500_000_000, 3_000_000_000],
    ['42.5 %', 42.5, 100],
    ['31/12 are no figures, 7% are', 7, 100],
    ['epoch 3/10', 3, 10],
  ])('of %s is read as %d of %d', (message, done, total) => {
    expect(read([`\r${message}\r`]).progress).toEqual([{ done, total, message }]);
  });

  it('without figures counts its states', () => {
    expect(read(['\r|', '\r/', '\r/', '\r-']).progress).toEqual([
      { done: 1, message: '|' },
      { done: 2, message: '/' },
      { done: 3, message: '-' },
    ]);
  });

  it('keeps its figures through a state without them', () => {
    expect(read(['5/10\rtidying up\n']).progress).toEqual([
      { done: 5, total: 10, message: '5/10' },
      { done: 5, total: 10, message: 'tidying up' },
    ]);
  });

  it('leaves nothing when it was wiped with blanks', () => {
    const { lines, text, progress } = read(['\r50%', '\r     \r', 'result\n', '\r1%\r  \r']);
    expect(lines).toEqual(['result']);
    expect(text).toBe('result\n');
    expect(progress.map(({ done }) => done)).toEqual([50, 1]);
  });

  it('is no redraw when only the line end was split over chunks', () => {
    expect(read(['line\r', '\nnext\r', '\r', '\n'])).toMatchObject({ lines: ['line', 'next'], progress: [] });
  });

  it('keeps its last state when it ends with a carriage return', () => {
    expect(read(['50%\r100%\r'])).toMatchObject({ lines: ['100%'], text: '100%' });
  });
});

describe('the end mark', () => {
  it('shows up nowhere, ends the output with its partial line kept, and hands on what follows', () => {
    const { lines, text, rests, bytes } = read(['a line\npart', mark.subarray(0, 7), mark.subarray(7), 'not ours'], {
      mark,
    });
    expect(lines).toEqual(['a line', 'part']);
    expect(text).toBe('a line\npart');
    expect(rests).toEqual(['']);
    expect(bytes).toBe(11);
  });

  it('that never came in whole is output at the end', () => {
    expect(read(['text', mark.subarray(0, 20)], { mark }).text).toBe(`text${mark.toString('utf8', 0, 20)}`);
  });
});

describe('any chunking of the same bytes', () => {
  it('gives the same lines, text and figures', () => {
    fc.assert(
      fc.property(anyBytes, anyCuts, fc.constantFrom(1, 10, 1000), (bytes, cuts, maxCapturedBytes) => {
        const whole = read([bytes], { maxCapturedBytes });
        const pieces = read(chunked(bytes, cuts), { maxCapturedBytes });
        expect({ ...pieces, progress: [] }).toEqual({ ...whole, progress: [] });
      }),
    );
  });

  it('gives the same with the mark at any place', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, anyCuts, (before, after, cuts) => {
        const unmarked = read([before]);
        const marked = read(chunked(Buffer.concat([before, mark, after]), cuts), { mark });
        expect({ ...marked, progress: [], rests: [] }).toEqual({ ...unmarked, progress: [], rests: [] });
        expect(marked.rests).toHaveLength(1);
      }),
    );
  });

  it('captures what the lines say, but for redraws', () => {
    fc.assert(
      fc.property(anyBytes, anyCuts, (bytes, cuts) => {
        const { lines, text, replacedBytes } = read(chunked(bytes, cuts), { maxCapturedBytes: 100_000 });
        if (replacedBytes === 0) expect(text.split('\n').slice(0, lines.length)).toEqual(lines);
      }),
    );
  });
});

describe('a flood', () => {
  it('of newlines passes with the memory of the capture', () => {
    const chunk = Buffer.alloc(64 * 1024, '\n');
    let lines = 0;
    const output = createOutput({
      maxCapturedBytes: 1024,
      mark,
      onLine: () => {
        lines += 1;
      },
    });
    const memoryBefore = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 300; n += 1) output.push(chunk);
    output.end();
    expect(lines).toBe(300 * chunk.length);
    expect(output.cutBytes).toBe(lines - 1024);
    expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(16 * 1024 * 1024);
  });

  it('without any newline passes in pieces', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let pieces = 0;
    const output = createOutput({
      maxCapturedBytes: 1024,
      onLine: () => {
        pieces += 1;
      },
    });
    for (let n = 0; n < 100; n += 1) output.push(chunk);
    output.end();
    expect(pieces).toBe(100);
  });
});

interface ReadOptions {
  readonly maxCapturedBytes?: number;
  readonly mark?: Buffer;
}

function read(chunks: readonly (string | Buffer)[], { maxCapturedBytes = 10_000, mark }: ReadOptions = {}) {
  const lines: string[] = [];
  const progress: RedrawProgress[] = [];
  const rests: string[] = [];
  const output = createOutput({
    maxCapturedBytes,
    mark,
    onLine: (line) => lines.push(line),
    onProgress: (state) => progress.push(state),
    onMark: (rest) => rests.push(rest.toString()),
  });
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  output.end();
  const { text, bytes, cutBytes, replacedBytes } = output;
  return { lines, progress, rests, text, bytes, cutBytes, replacedBytes };
}
