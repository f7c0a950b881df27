import type { CallEvent, LogLevel, OnEvent } from '../toolbox.js';
import { logLevels } from '../toolbox.js';
import { createGatherer, type Gatherer } from './gatherer.js';
import { createProgressCounter, type ProgressNumbers } from './progress.js';

/** One way in which the events of a call reach the client. */
export interface Stream {
  readonly onEvent: OnEvent;
  /** Sends what is still gathered. */
  flush(): Promise<void>;
}

export type SendProgress = (numbers: ProgressNumbers & { readonly message?: string }) => Promise<void>;
export type SendLog = (entry: { readonly level: LogLevel; readonly data: string }) => Promise<void>;
export type SendPartial = (part: object) => Promise<void>;

export function joinStreams(streams: readonly Stream[]): Stream {
  const [first] = streams;
  if (streams.length === 1 && first) return first;
  return {
    onEvent(event) {
      const held = streams.map((stream) => stream.onEvent(event)).filter((promise) => promise !== undefined);
      return held.length === 0 ? undefined : Promise.all(held).then(() => {});
    },
    async flush() {
      await Promise.all(streams.map((stream) => stream.flush()));
    },
  };
}

/** Lines, reports and yielded values as progress notifications. */
export function createProgressStream(send: SendProgress): Stream {
  const counter = createProgressCounter();
  let sentAt = Number.NEGATIVE_INFINITY;
  const gatherer = createGatherer<string | Report>(async (items) => {
    const parts = items.length > mostApart ? [items] : items.map((item) => [item]);
    for (const part of parts) await sendTogether(part);
  });
  const sendTogether = async (items: readonly (string | Report)[]) => {
    const report = items.findLast((item) => typeof item !== 'string');
    const numbers = report ? counter.report(report.done, report.total) : { ...counter.between(), isTold: true };
    const texts = items.filter((item) => typeof item === 'string');
    const reported = report && reportText(report, numbers.isTold);
    const message = [...texts, ...(reported ? [reported] : [])].join('\n');
    const { progress, total } = numbers;
    await send({ progress, ...(total !== undefined && { total }), ...(message !== '' && { message }) });
    sentAt = performance.now();
  };
  return {
    onEvent(event) {
      if (event.type === 'log') return undefined;
      if (event.type === 'progress') return gatherer.push(event, reportBytes);
      const text = textOfEvent(event);
      return gatherer.push(text, text.length);
    },
    async flush() {
      await gatherer.flush();
      const leftMs = sentAt + answerGapMs - performance.now();
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    },
  };
}

const reportBytes = 64;
/** The official client drops progress that it reads together with the answer, so that the answer comes a moment later. */
const answerGapMs = 3;
/** Lines that come at once are told one by one, unless they are a flood. */
const mostApart = 100;

/** Log entries as log messages from the level on that the client asked for; lines too, where they go no other way. */
export function createLogStream(send: SendLog, threshold: LogLevel, withLines: boolean): Stream {
  const gatherer: Gatherer<LogItem> = createGatherer(async (items) => {
    for (const { level, text } of items.length > mostApart ? joinLines(items) : items)
      await send({ level, data: text });
  });
  return {
    onEvent(event) {
      const item = logItemOf(event, withLines);
      if (item === undefined || severity(item.level) < severity(threshold)) return undefined;
      return gatherer.push(item, item.text.length);
    },
    flush: gatherer.flush,
  };
}

/** Every event as a frame of its own, for callers that read JSON-RPC without MCP. */
export function createPartialStream(send: SendPartial): Stream {
  return { onEvent: (event) => send(partOf(event)).catch(() => {}), flush: async () => {} };
}

type Told = Extract<CallEvent, { type: 'output' | 'value' | 'queued' }>;

function textOfEvent(event: Told): string {
  if (event.type === 'output') return event.line;
  if (event.type === 'queued') return `Waiting for a free process, at place ${event.position} of the queue`;
  return shortened(typeof event.value === 'string' ? event.value : JSON.stringify(event.value));
}

type Report = Extract<CallEvent, { type: 'progress' }>;

/** Where the numbers of the notification cannot say what the script reported, the text does. */
function reportText({ done, total, message }: Report, isTold: boolean): string | undefined {
  if (isTold) return message;
  const steps = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? steps : `${steps}: ${message}`;
}

const maxValueText = 4096;

function shortened(text: string): string {
  return text.length <= maxValueText ? text : `${text.slice(0, maxValueText)}…`;
}

interface LogItem {
  readonly level: LogLevel;
  readonly text: string;
  readonly isLine: boolean;
}

/** What a script writes to stderr is worth noticing and need not be a warning: Python logs to it whatever the level. */
function logItemOf(event: CallEvent, withLines: boolean): LogItem | undefined {
  if (event.type === 'log') return { level: event.level, text: event.message, isLine: false };
  if (event.type !== 'output' || !withLines) return undefined;
  return { level: event.stream === 'stdout' ? 'info' : 'notice', text: event.line, isLine: true };
}

function joinLines(items: readonly LogItem[]): LogItem[] {
  const joined: LogItem[] = [];
  let lines: string[] = [];
  for (const [index, item] of items.entries()) {
    lines.push(item.text);
    const following = items[index + 1];
    if (item.isLine && following?.isLine && following.level === item.level) continue;
    joined.push({ ...item, text: lines.join('\n') });
    lines = [];
  }
  return joined;
}

function severity(level: LogLevel): number {
  return logLevels.indexOf(level);
}

/** An event as the members of a partial frame. */
export function partOf(event: CallEvent): object {
  switch (event.type) {
    case 'output':
      return event.stream === 'stdout' ? { data: event.line } : { data: event.line, stream: event.stream };
    case 'progress': {
      const { done, total, message } = event;
      return { progress: { done, total, message } };
    }
    case 'value':
      return { value: event.value };
    case 'log':
      return { log: { level: event.level, message: event.message } };
    case 'queued':
      return { queued: event.position };
  }
}
