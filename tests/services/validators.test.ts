import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ValidatorSpec } from '../../src/harness/suite/schema.js';
import type { ValidatorContext, ValidatorOutcome, Validators } from '../../src/harness/validators.js';
import { createLog } from '../../src/log.js';
import { createValidators } from '../../src/services/validators.js';
import type { JsonObject } from '../../src/toolbox.js';
import { folderWith, processesLeft } from '../engine/harness.js';

const folder = folderWith({ 'neighbour.txt': 'beside the suite' });
const cacheDir = folderWith({});
let validators: Validators;
beforeAll(() => {
  const settings = { cacheDir, idleChildren: 1 };
  const log = createLog({ level: 'silent' });
  validators = createValidators({ settings, resolvePath: (path) => `${folder}/${path}`, log });
});
afterAll(async () => {
  await validators.close();
  expect(processesLeft()).toEqual([]);
});

const answer = { content: [{ type: 'text', text: '{"total": 3}' }] };

function contextWith(response: JsonObject = answer): ValidatorContext {
  return {
    request: { method: 'tools/call', params: { name: 'count', arguments: { text: 'a "b" \\ c\n{}' } } },
    response,
    metadata: {
      test_name: 'counts',
      tool_name: 'count',
      target: 'count',
      server_info: { name: 'counter', version: '1' },
      suite_name: 'words',
      phase: 'after',
      attempt: 1,
      latency_ms: 1.5,
      values: { greeting: 'hello' },
      events: [],
    },
  };
}

async function run(
  source: string,
  spec: Partial<ValidatorSpec> = {},
  response?: JsonObject,
): Promise<ValidatorOutcome> {
  const validator = await validators.prepare({
    spec: { script: source, when: 'after', ...spec },
    source,
    name: 'check.py',
  });
  return validator.run(contextWith(response));
}

function inThread(line: string): string {
  return `import threading\ndef work():\n    ${line}\nthreading.Thread(target=work).start()`;
}

describe('A validator passes', () => {
  it.each([
    ['that says nothing', 'x = 1'],
    ['whose assertions hold', 'assert data()["total"] == 3'],
    ['that says so, and runs no further', 'passed("enough seen")\n1 / 0'],
    ['that exits with 0', 'import sys\nsys.exit(0)'],
    ['that writes to stderr', 'import sys\nprint("a remark", file=sys.stderr)'],
    ['whose result says that it is valid', 'result = {"valid": True}'],
    ['whose pair of verdict and remark says so', 'result = (True, "fine")'],
    ['whose variable called result is no verdict', 'import re\nresult = re.search("t", text())\nassert result'],
    ['with numbers that are equal', 'equal([1, {"a": 2.0}], [1.0, {"a": 2}])'],
    ['whose checks hold', 'check(True, "no")\nequal([1, {"a": 2}], [1, {"a": 2}])'],
  ])('%s', async (_name, source) => {
    expect((await run(source)).findings).toEqual([]);
  });

  it('whose function returns True, None or a remark', async () => {
    for (const returned of ['True', 'None', '"a remark"']) {
      expect((await run(`def go(context):\n    return ${returned}`, { function: 'go' })).findings).toEqual([]);
    }
  });
});

describe('A validator fails', () => {
  it.each([
    ['by an assertion with a message', 'x = 1\nassert x == 2, "x is not 2"', { message: 'x is not 2', line: 2 }],
    [
      'by an assertion alone, which is shown with its sides',
      'x = 1\nassert data()["total"] == 4',
      { message: 'assert data()["total"] == 4: 3 == 4', line: 2 },
    ],
    [
      'by fail, with what was expected and what came',
      'fail("no", expected=1, actual=2)',
      { message: 'no', line: 1, expected: 1, actual: 2 },
    ],
    [
      'by fail within a try that catches all exceptions',
      'try:\n    fail("no")\nexcept Exception:\n    pass',
      { message: 'no', line: 2 },
    ],
    [
      'by two values that differ',
      'equal(data()["total"], 4)',
      { message: 'The value is 3; expected 4.', line: 1, expected: 4, actual: 3 },
    ],
    ['by an exit code', 'import sys\nsys.exit(2)', { message: 'The validator ended with exit code 2.' }],
    ['by exiting with words', 'import sys\nsys.exit("not good")', { message: 'not good', line: 2 }],
    ['by a check without words', 'x = 1\ncheck(x == 2)', { message: 'This does not hold: check(x == 2)', line: 2 }],
    ['by pairs of verdict and reason', 'result = [(True, "fine"), (False, "why")]', { message: 'why' }],
    [
      'that defines a function which nobody calls',
      'import re\n\ndef validate(context):\n    return True',
      {
        message: expect.stringMatching(/^The validator only defines the function validate, .* function: validate\.$/),
        line: 3,
      },
    ],
    ['by a result that says so with something else than False', 'result = {"valid": None}', {}],
    ['by a result with a text that is no verdict', 'result = {"valid": "no"}', {}],
    ['by a pair of verdict and reason', 'result = (False, "why")', { message: 'why' }],
    ['by a result with an error and nothing else', 'result = {"error": "bad"}', { message: 'bad' }],
    ['by errors in one text', 'result = {"errors": "bad"}', { message: 'bad' }],
    ['by a result of which JSON cannot say all', 'result = {"valid": False, "match": object()}', {}],
    ['by two values that only Python takes for the same', 'equal([True], [1])', { expected: [1], actual: [true] }],
    ['by an assertion in a thread', inThread('assert False, "apart"'), { message: 'apart' }],
    ['by an exception in a thread', inThread('1 / 0'), { message: expect.stringContaining('ZeroDivisionError') }],
    [
      'by leaving the process without a word',
      'import os\nos._exit(0)',
      { message: expect.stringContaining('without a verdict') },
    ],
    [
      'that spoils what keeps its verdict',
      'import mcp_execution.validation as v\nv._failures = 5',
      { message: expect.stringContaining('without a verdict') },
    ],
    ['by a result that says so', 'result = {"success": False, "message": "too few"}', { message: 'too few' }],
  ])('%s', async (_name, source, finding) => {
    expect((await run(source)).findings).toEqual([
      expect.objectContaining({ kind: 'validator', file: 'check.py', ...finding }),
    ]);
  });

  it('with every check that does not hold, not only the first', async () => {
    const { findings } = await run('check(False, "one")\ncheck(True, "two")\ncheck(0, "three")');
    expect(findings.map(({ message, line }) => [message, line])).toEqual([
      ['one', 1],
      ['three', 3],
    ]);
  });

  it('with every error that its result lists', async () => {
    const { findings } = await run('result = {"valid": False, "errors": ["one", "two"]}');
    expect(findings.map(({ message }) => message)).toEqual(['one', 'two']);
  });

  it('whose function yields False, gives it with a reason, or is never reached', async () => {
    const messagesOf = async (source: string) => {
      return (await run(source, { function: 'go' })).findings.map(({ message }) => message);
    };
    expect(await messagesOf('def go():\n    yield True\n    yield False')).toEqual(['The validator returned False.']);
    expect(await messagesOf('async def go():\n    yield False')).toEqual(['The validator returned False.']);
    expect(await messagesOf('def go():\n    return False, "why"')).toEqual(['why']);
    expect(await messagesOf('import sys\ndef go(): pass\nsys.exit(0)')).toEqual([
      'The validator ended before its function go was called.',
    ]);
  });

  it('with a message of bounded length', async () => {
    const { findings } = await run('fail("a" * 1_000_000)');
    expect(findings[0]?.message).toHaveLength(64 * 1024 + '… (934464 more characters)'.length);
  });

  it('whose function returns False', async () => {
    const { findings } = await run('def go():\n    return False', { function: 'go' });
    expect(findings).toEqual([expect.objectContaining({ message: 'The validator returned False.' })]);
  });
});

describe('A validator that cannot do its work says what is wrong, with its code and line', () => {
  it.each([
    ['a syntax error', 'x = 1\ndef f(:', { code: 'SYNTAX_ERROR', line: 2 }],
    ['an exception', 'x = 1\n\nx["a"]', { code: 'EXCEPTION', line: 3 }],
    ['a module that is not there', 'import nothing_of_that_name', { code: 'IMPORT_ERROR', line: 1 }],
    ['a crash', 'import os\nos._exit(7)', { code: 'PROCESS_FAILED' }],
    ['an endless loop', 'def go():\n    while True: pass\ngo()', { code: 'TIMEOUT', line: 2 }],
    ['an assertion that cannot fail', 'x = 1\nassert (x == 2, "why")', { code: 'SYNTAX_ERROR', line: 2 }],
    [
      'a check of what always holds',
      'check(each == 2 for each in [1])',
      { code: 'EXCEPTION', line: 1, message: expect.stringContaining('put all(...) or any(...) around it') },
    ],
    [
      'data that there is none of',
      'context["response"].clear()\ndata()',
      { line: 2, message: expect.stringContaining('it has no text') },
    ],
    [
      'a value that JSON cannot say',
      'value("odd", object())',
      { line: 1, message: expect.stringContaining('value: odd') },
    ],
    [
      'a file that it may not read',
      'open("/etc/passwd")',
      { code: 'PERMISSION_DENIED', line: 1, message: expect.stringContaining('allow: { read: [/etc/passwd] }') },
    ],
    ['memory that it may not have', 'x = b"x" * (1 << 40)', { code: 'MEMORY_LIMIT' }],
  ])('%s', async (_name, source, finding) => {
    const { findings } = await run(source, { timeout: 800 });
    expect(findings).toEqual([expect.objectContaining({ kind: 'validator', file: 'check.py', ...finding })]);
  });

  it('a function that is not there', async () => {
    const { findings } = await run('def check_it(): pass', { function: 'chek_it' });
    expect(findings).toEqual([
      expect.objectContaining({ code: 'UNKNOWN_TOOL', message: expect.stringContaining('check_it') }),
    ]);
  });
});

describe('A validator sees', () => {
  it('request, response and metadata as they are, whatever characters they hold', async () => {
    const { values } = await run(
      'value("text", context["request"]["params"]["arguments"]["text"])\nvalue("name", context["metadata"]["test_name"])\nvalue("info", context["metadata"]["server_info"])',
    );
    expect(values).toEqual({ text: 'a "b" \\ c\n{}', name: 'counts', info: { name: 'counter', version: '1' } });
  });

  it('the text of a tool result, of a prompt and of a resource', async () => {
    const responses: readonly JsonObject[] = [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: '', mimeType: 'image/png' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        messages: [
          { role: 'user', content: { type: 'text', text: 'a' } },
          { role: 'user', content: { type: 'text', text: 'b' } },
        ],
      },
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
      {
        contents: [
          { uri: 'x:1', text: 'a' },
          { uri: 'x:2', text: 'b' },
        ],
      },
    ];
    for (const response of responses) {
      expect((await run('value("text", text())', {}, response)).values).toEqual({ text: 'a\nb' });
    }
  });

  it('structured content before text', async () => {
    const response = { content: [{ type: 'text', text: 'no json' }], structuredContent: { total: 4 } };
    expect((await run('value("total", data()["total"])', {}, response)).values).toEqual({ total: 4 });
  });

  it('an error as an object with its code', async () => {
    const source = 'assert context["response"]["error"]["code"] == -32602';
    expect((await run(source, {}, { error: { code: -32602, message: 'no' } })).findings).toEqual([]);
  });
});

describe('A validator', () => {
  it('logs lines with their level', async () => {
    expect((await run('log("warning", "slow")\nlog("plain")')).logs).toEqual([
      { level: 'warning', message: 'slow' },
      { level: 'info', message: 'plain' },
    ]);
  });

  it('keeps what was logged and printed, also where it fails', async () => {
    const source = 'print("one")\nlog("warning", "two")\nimport sys\nprint("three", file=sys.stderr)\n1 / 0';
    const { logs } = await run(source);
    expect(logs).toHaveLength(3);
    expect(logs).toEqual(
      expect.arrayContaining([
        { level: 'stdout', message: 'one' },
        { level: 'warning', message: 'two' },
        { level: 'stderr', message: 'three' },
      ]),
    );
  });

  it('keeps no more of what was printed than anybody reads', async () => {
    const { logs } = await run('for number in range(2000): print(number)');
    expect(logs).toHaveLength(501);
    expect(logs.at(-1)).toEqual({ level: 'notice', message: 'More was said than is kept.' });
  });

  it('imports every name that is simply there', async () => {
    const names = 'check, context, data, equal, fail, log, passed, text, value';
    expect((await run(`from mcp_execution.validation import ${names}`)).findings).toEqual([]);
  });

  it('has an alarm of its own', async () => {
    const source =
      'import signal\ndef rings(*_): fail("rang")\nsignal.signal(signal.SIGALRM, rings)\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\nsignal.pause()';
    expect((await run(source, { timeout: 5000 })).findings).toEqual([expect.objectContaining({ message: 'rang' })]);
  });

  it('runs under profile strict, and tells what it cost', async () => {
    const { figures } = await run('pass');
    expect(figures).toMatchObject({ profile: 'strict' });
    expect(figures?.peakMemoryBytes).toBeGreaterThan(0);
  });

  it('reads what the suite allows it to, from the folder of the suite', async () => {
    const source = `assert open(${JSON.stringify(`${folder}/neighbour.txt`)}).read() == "beside the suite"`;
    expect((await run(source)).findings).toEqual([expect.objectContaining({ code: 'PERMISSION_DENIED' })]);
    expect((await run(source, { allow: { read: ['neighbour.txt'] } })).findings).toEqual([]);
    expect((await run(source, { allow: 'all' })).findings).toEqual([]);
  });

  it('keeps its assertions where Python is told to drop them', async () => {
    const settings = { cacheDir, idleChildren: 1, allowEnv: ['PYTHONOPTIMIZE'] as const };
    process.env.PYTHONOPTIMIZE = '2';
    const optimised = createValidators({
      settings: { ...settings, allowEnv: [...settings.allowEnv] },
      resolvePath: (path) => path,
      log: createLog({ level: 'silent' }),
    });
    try {
      const source = 'assert False, "still here"';
      const validator = await optimised.prepare({
        spec: { script: source, when: 'after', allow: 'all' },
        source,
        name: 'a',
      });
      expect((await validator.run(contextWith())).findings).toEqual([
        expect.objectContaining({ message: 'still here' }),
      ]);
    } finally {
      delete process.env.PYTHONOPTIMIZE;
      await optimised.close();
    }
  });

  it('does not learn what one before it did', async () => {
    await run('import builtins\nbuiltins.left_behind = 1\nvalue("mine", 1)');
    const { values, findings } = await run('import builtins\nassert not hasattr(builtins, "left_behind")');
    expect({ values, findings }).toEqual({ values: {}, findings: [] });
  });
});
