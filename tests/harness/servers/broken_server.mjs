import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, readFileSync } from 'node:fs';
import { answer, introduce, serve, text, write } from '../../client/servers/raw.mjs';

/**
 * Every tool breaks one promise. Arguments of the command break what concerns the whole server:
 *   silent         it never introduces itself
 *   dies           it ends at its start, with words on stderr
 *   odd            it introduces itself without a name
 *   future         it speaks a version of the protocol that nobody knows
 *   chatty         it writes to stdout before anything is asked
 *   starts=FILE    it has other tools with each start, which it counts in the file
 *   only=a,b       it lists these tools alone
 */
const modes = new Map(process.argv.slice(2).map((word) => word.split('=')));
const numbers = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const sums = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const words = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const cancellable = new Set();
const kept = [];
let calls = 0;
let atOnce = 0;

/** Each with what it promises, and what it does. What is not returned is not answered. */
const tools = {
  good: [{ inputSchema: words }, ({ text: said }) => text(said)],
  wrong_structure: [{ outputSchema: sums }, () => ({ ...text('three'), structuredContent: { sum: 'three' } })],
  no_structure: [{ outputSchema: sums }, () => text('three')],
  wrong_block: [{}, () => ({ content: [{ type: 'hologram', beam: 1 }] })],
  block_without_text: [{}, () => ({ content: [{ type: 'text' }] })],
  no_content: [{}, () => ({})],
  malformed_answer: [{}, (_args, id) => write({ id, result: ['no', 'object'] })],
  error_without_code: [{}, (_args, id) => write({ id, error: { message: 'something' } })],
  old_jsonrpc: [{}, (_args, id) => write({ id, result: text('old'), jsonrpc: '1.0' })],
  id_as_text: [{}, (_args, id) => write({ id: String(id), result: text('answered') })],
  broken_json: [{}, (_args, id) => void process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":\n`)],
  answers_twice: [
    {},
    (_args, id) => {
      answer(id, text('once'));
      answer(id, text('twice'));
    },
  ],
  answers_nobody: [
    {},
    (_args, id) => {
      answer(77_777, text('nobody asked'));
      answer(id, text('asked'));
    },
  ],
  never_answers: [{}, () => undefined],
  dies: [
    {},
    ({ code = 3 }) => {
      process.stderr.write('something is very wrong\n');
      process.exit(code);
    },
  ],
  closes_its_output: [{}, () => closeSync(1)],
  garbage: [
    {},
    (_args, id) => {
      process.stdout.write('Loading the model...\n\u001b[31mred\u001b[0m\n{"half":\n');
      answer(id, text('clean'));
    },
  ],
  answers_after_cancel: [{}, (_args, id) => void cancellable.add(id)],
  backward_progress: [
    {},
    (_args, _id, progressToken) => {
      for (const progress of [3, 2, 1]) {
        write({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      }
      return text('done');
    },
  ],
  accepts_anything: [{ inputSchema: numbers }, () => text('fine with me')],
  changes_its_mind: [
    { annotations: { readOnlyHint: true, idempotentHint: true } },
    () => {
      calls += 1;
      return text(`answer ${calls}`);
    },
  ],
  invalid_schema: [{ inputSchema: { type: 'objekt', properties: 5, required: 'name' } }, () => text('done')],
  'bad name!': [{ description: '' }, () => text('done')],
  memory_hog: [
    {},
    ({ megabytes = 64 }) => {
      kept.push(Buffer.alloc(megabytes * 1024 * 1024, 1));
      return text(`${megabytes} MB more`);
    },
  ],
  burns_cpu: [
    {},
    ({ ms = 100 }) => {
      const before = process.cpuUsage();
      for (let spent = 0; spent < ms * 1000; ) {
        for (let turn = 0; turn < 1e6; turn += 1);
        const { user, system } = process.cpuUsage(before);
        spent = user + system;
      }
      return text('done');
    },
  ],
  mangles_unicode: [{ inputSchema: words }, ({ text: said }) => text(Buffer.from(said, 'latin1').toString('ascii'))],
  cuts_long_input: [{ inputSchema: words }, ({ text: said }) => text(said.slice(0, 1000))],
  confused_by_parallel: [
    { inputSchema: words },
    async ({ text: said }) => {
      atOnce += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      const isConfused = atOnce > 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
      return text(isConfused ? 'what was that?' : said);
    },
  ],
  fails_every_other_time: [
    {},
    () => {
      calls += 1;
      return calls % 2 === 1 ? { ...text('not this time'), isError: true } : text('done');
    },
  ],
  asks: [
    {},
    async () => {
      const answered = new Promise((resolve) => {
        asked.set('question', resolve);
      });
      write({
        id: 'question',
        method: 'elicitation/create',
        params: { message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } },
      });
      return text(JSON.stringify(await answered));
    },
  ],
  leaves_a_child: [
    {},
    () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
      child.unref();
      return text(child.pid);
    },
  ],
};
const asked = new Map();

if (modes.has('dies')) {
  process.stderr.write('the database is not there\n');
  process.exit(2);
}
if (modes.has('chatty')) process.stdout.write('Server is running on stdio\n');
hearAnswers();
serve({
  initialize: (params) => {
    if (modes.has('silent')) return undefined;
    const introduction = introduce(params);
    if (modes.has('odd')) return { ...introduction, serverInfo: {} };
    return modes.has('future') ? { ...introduction, protocolVersion: '3026-01-01' } : introduction;
  },
  'tools/list': () => ({ tools: listed() }),
  'tools/call': ({ name, arguments: args = {}, _meta }, id) => {
    const [, work] = tools[name] ?? [{}, () => text(`${name} is not known, but why not`)];
    return work(args, id, _meta?.progressToken);
  },
  /** Answers have no method. */
  undefined: () => undefined,
  'notifications/cancelled': ({ requestId }) => {
    if (cancellable.delete(requestId)) answer(requestId, text('done all the same'));
  },
});

function listed() {
  const only = modes.get('only')?.split(',');
  const names = only ?? [...Object.keys(tools), ...newWithThisStart()];
  return names.map((name) => ({
    name,
    description: `Breaks a promise: ${name}`,
    inputSchema: { type: 'object' },
    ...tools[name]?.[0],
  }));
}

function newWithThisStart() {
  const file = modes.get('starts');
  if (file === undefined) return [];
  appendFileSync(file, '.');
  return [`new_with_start_${readFileSync(file, 'utf8').length}`];
}

/** What answers questions of this server goes past `serve`, which knows only what is asked of it. */
function hearAnswers() {
  process.stdin.on('data', (chunk) => {
    for (const line of chunk.toString().split('\n')) {
      if (!line.includes('"id":"question"')) continue;
      const { result, error } = JSON.parse(line);
      asked.get('question')?.(result ?? error);
    }
  });
}
