import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CaseReport } from '../../src/harness/report.js';
import { folderWith } from '../engine/harness.js';
import { type CaseSpec, markOfThisTest, oneSuite } from './harness-cases.js';

const server = join(import.meta.dirname, '../harness/servers/well_behaved.mjs');
const hardText = 'a "b" \'c\' \\ """ {} %s\n\u0000 Grüße 世界 🌍 </script>';
const folder = folderWith({
  'sum.py': [
    'from mcp_execution import log',
    'from mcp_execution.validation import context, data, equal',
    '',
    'def adds_up():',
    '    given = context["request"]["params"]["arguments"]',
    '    equal(data()["sum"], given["a"] + given["b"])',
    '    log("debug", "added up")',
    '',
    'def is_even(context):',
    '    return data()["sum"] % 2 == 0',
  ].join('\n'),
});
const suite = oneSuite(
  {
    name: 'validation patterns',
    server: { command: process.execPath, args: [server], env: markOfThisTest },
    parallel: 4,
    variables: { person: 'Ada' },
  },
  folder,
);

/** A case, and what has to be true of its report. */
function shows(sentence: string, spec: CaseSpec, look: (report: CaseReport) => void = passes): void {
  suite.add(sentence, spec);
  it(sentence, () => look(suite.reportOf(sentence)));
}

function passes({ status, findings, validators }: CaseReport): void {
  expect({ status, findings }).toEqual({ status: 'passed', findings: [] });
  expect(validators.length).toBeGreaterThan(0);
}

const failsWith =
  (...findings: readonly object[]) =>
  (report: CaseReport): void => {
    expect(report.status).toBe('failed');
    expect(report.findings).toEqual(findings.map((finding) => expect.objectContaining(finding)));
  };

const echo = { tool: 'echo', arguments: { message: 'hello' } };
const add = { tool: 'add', arguments: { a: 2, b: 3 } };

describe('context injection: a validator is given', () => {
  shows('the request as it was sent, whatever characters it holds', {
    tool: 'echo',
    arguments: { message: hardText },
    validate: `
assert context["request"]["method"] == "tools/call"
assert context["request"]["params"] == {"name": "echo", "arguments": {"message": ${JSON.stringify(hardText)}}}`,
  });

  shows('the response as it came', {
    ...echo,
    validate: 'assert context["response"] == {"content": [{"type": "text", "text": "hello"}]}',
  });

  shows('metadata: the test, the tool and the server', {
    ...echo,
    validate: `
metadata = context["metadata"]
assert metadata["test_name"] == "metadata: the test, the tool and the server"
assert metadata["tool_name"] == metadata["target"] == "echo"
assert metadata["suite_name"] == "validation patterns"
info = metadata["server_info"]
assert (info["name"], info["version"], info["title"]) == ("well-behaved", "1.0.0", "A server that behaves")
assert metadata["latency_ms"] > 0 and metadata["attempt"] == 1
assert metadata["values"]["person"] == "Ada"`,
  });

  shows('no tool where there is none', {
    resource: 'test://readme',
    validate: `
assert context["metadata"]["tool_name"] is None
assert context["metadata"]["target"] == "test://readme"`,
  });

  shows(
    'no response before there is one, and one afterwards',
    {
      ...echo,
      validate: {
        when: 'both',
        script: `
phase = context["metadata"]["phase"]
assert ("response" in context) == (phase == "after")
log("info", phase)`,
      },
    },
    (report) => {
      passes(report);
      expect(report.validators.map(({ phase, logs }) => [phase, logs[0]?.message])).toEqual([
        ['before', 'before'],
        ['after', 'after'],
      ]);
    },
  );

  shows(
    'log, whose lines are told with the case and fail nothing',
    {
      ...echo,
      validate: 'log("warning", "a remark")\nimport sys\nprint("to stderr", file=sys.stderr)',
    },
    (report) => {
      passes(report);
      expect(report.validators[0]?.logs).toEqual(
        expect.arrayContaining([
          { level: 'warning', message: 'a remark' },
          { level: 'stderr', message: 'to stderr' },
        ]),
      );
    },
  );

  shows('a module to import, for editors and for files', { ...add, validate: { file: 'sum.py', function: 'adds_up' } });
});

describe('MCP request and response validation', () => {
  shows(
    'a request that is not what it should be is not sent',
    {
      ...add,
      validate: {
        when: 'before',
        script:
          'given = context["request"]["params"]["arguments"]\nif given["a"] < 10:\n    fail("a is too small", expected=10, actual=given["a"])',
      },
    },
    (report) => {
      failsWith({ kind: 'validator', message: 'a is too small', line: 3, expected: 10, actual: 2 })(report);
      expect(report).not.toHaveProperty('response');
    },
  );

  shows('a response is held against its request', {
    ...add,
    validate: 'equal(data()["sum"], sum(context["request"]["params"]["arguments"].values()))',
  });

  shows('the form of a response is looked at block by block', {
    tool: 'image',
    validate: `
import base64
words, picture = context["response"]["content"]
check(words["type"] == "text", "the first block is text")
check(picture["mimeType"] == "image/png", "the second is a PNG")
check(base64.b64decode(picture["data"]).startswith(b"\\x89PNG"), "and begins as one does")`,
  });

  shows('an answer that says isError is a response like others', {
    tool: 'fails',
    expect: { error: true },
    validate: 'assert context["response"]["isError"] is True and text() == "it did not work"',
  });

  shows('a JSON-RPC error is a response with its code', {
    request: 'nothing/of/that/kind',
    expect: { error: { code: -32601 } },
    validate: 'assert context["response"]["error"]["code"] == -32601',
  });
});

describe('tool execution scripts', () => {
  shows(
    'a function of a file judges by what it returns',
    { ...add, validate: { file: 'sum.py', function: 'is_even' } },
    failsWith({ kind: 'validator', message: 'The validator returned False.', file: 'sum.py' }),
  );

  shows(
    'a script of its own judges by what it asserts',
    {
      ...add,
      validate: 'total = data()["sum"]\nassert total == 6, f"{total} is not 6"',
    },
    failsWith({ message: '5 is not 6', line: 2 }),
  );

  shows(
    'a script judges by the result that it leaves',
    {
      ...add,
      validate: 'result = {"valid": data()["sum"] == 6, "errors": ["too small", "too odd"]}',
    },
    failsWith({ message: 'too small' }, { message: 'too odd' }),
  );

  shows(
    'several validators of one call all have their say',
    {
      ...add,
      validate: ['check(False, "one")', 'pass', { script: 'check(False, "two")' }],
    },
    (report) => {
      failsWith({ message: 'one' }, { message: 'two' })(report);
      expect(report.validators.map(({ passed }) => passed)).toEqual([false, true, false]);
    },
  );

  shows(
    'a validator and an expectation that fail are both told',
    {
      ...add,
      expect: { data: { '$.sum': 6 } },
      validate: 'check(False, "and so do I")',
    },
    failsWith({ kind: 'field', path: '$.sum' }, { kind: 'validator', message: 'and so do I' }),
  );

  shows('a script that runs says what it cost', { ...echo, validate: 'x = [0] * 1000' }, (report) => {
    passes(report);
    const [ran] = report.validators;
    expect(ran).toMatchObject({ wallMs: expect.any(Number), cpuMs: expect.any(Number) });
    expect(ran?.peakMemoryBytes).toBeGreaterThan(1e6);
  });

  shows(
    'a script may do nothing that it was not allowed',
    { ...echo, validate: 'open("/etc/passwd").read()' },
    failsWith({ kind: 'validator', code: 'PERMISSION_DENIED', line: 1 }),
  );
});

describe('server response verification', () => {
  shows(
    'every tool of the server is looked at',
    {
      list: 'tools',
      validate: `
for tool in context["response"]["tools"]:
    check(tool["description"], f"{tool['name']} has no description")
    equal(tool["inputSchema"]["type"], "object")
value("names", sorted(tool["name"] for tool in context["response"]["tools"]))`,
    },
    (report) => {
      passes(report);
      expect(report.values?.names).toEqual(expect.arrayContaining(['add', 'echo']));
    },
  );

  shows('a resource is read as text and as data', {
    resource: 'test://people/Ada',
    validate:
      'equal(data(), {"name": "Ada"})\nequal(context["response"]["contents"][0]["mimeType"], "application/json")',
  });

  shows('a prompt is read', {
    prompt: 'review',
    arguments: { language: 'python' },
    validate: 'equal(text(), "Review this python code")\nequal(context["response"]["messages"][0]["role"], "user")',
  });

  shows('progress and logs of a call are among its events', {
    tool: 'progress',
    arguments: { steps: 3 },
    validate: `
steps = [event for event in context["metadata"]["events"] if event["type"] == "progress"]
equal([(step["done"], step["total"], step["message"]) for step in steps],
      [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")])`,
  });

  shows('the time of an answer is known to who has to judge it', {
    tool: 'slow',
    arguments: { ms: 30 },
    validate: 'check(context["metadata"]["latency_ms"] >= 25, "it cannot be that fast")',
  });
});

describe('complex validation scenarios', () => {
  shows('a value of one validator is input of a later case', {
    ...add,
    validate: 'value("doubled", data()["sum"] * 2)',
  });
  shows('and is there with its type', {
    depends_on: 'a value of one validator is input of a later case',
    tool: 'add',
    arguments: { a: '{{ doubled }}', b: 0 },
    expect: { data: { '$.sum': 10 } },
    validate: 'equal(context["metadata"]["values"]["doubled"], data()["sum"])',
  });

  shows('statistics over many answers', {
    tool: 'echo',
    arguments: { message: 'seventeen' },
    setup: ['one', 'three'].map((text) => ({
      tool: 'echo',
      arguments: { message: text },
      validate: `value("length_of_${text}", len(text()))`,
    })),
    validate: `
import statistics
values = context["metadata"]["values"]
lengths = [values["length_of_one"], values["length_of_three"], len(text())]
equal(statistics.mean(lengths), 17 / 3)
equal(statistics.median(lengths), 5)`,
  });

  shows(
    'rules that depend on each other, all that fail told at once with their lines',
    {
      ...add,
      validate: `total = data()["sum"]
if check(total > 0, "the sum is not positive"):
    check(total > 100, "the sum is small", expected=101, actual=total)
    equal(total, 500, "the sum is another")`,
    },
    failsWith(
      { message: 'the sum is small', line: 3, expected: 101, actual: 5 },
      { message: 'the sum is another', line: 4, expected: 500, actual: 5 },
    ),
  );

  shows(
    'a failure deep in a function of the script is told with its traceback',
    {
      ...add,
      validate:
        'def inner(total):\n    return {"5": total}["6"]\n\ndef outer():\n    return inner(data()["sum"])\n\nouter()',
    },
    (report) => {
      failsWith({ kind: 'validator', code: 'EXCEPTION', line: 2, message: "The validator raised KeyError: '6'" })(
        report,
      );
      expect(report.findings[0]?.detail).toMatch(/line 7[\s\S]*line 5, in outer[\s\S]*line 2, in inner/);
    },
  );

  shows('a script that has seen enough goes no further', { ...echo, validate: 'passed("enough")\n1 / 0' }, (report) => {
    passes(report);
    expect(report.validators[0]?.message).toBe('enough');
  });

  shows(
    'no run sees what another one left',
    {
      ...echo,
      repeat: 3,
      validate: `
import builtins
assert not hasattr(builtins, "left_behind")
builtins.left_behind = True`,
    },
    (report) => {
      passes(report);
      expect(report).toMatchObject({ runs: 3, failedRuns: 0 });
    },
  );

  it('figures of all validators of a suite are told', () => {
    const { cases, measures } = suite.report;
    const ran = cases.flatMap(({ validators }) => validators).filter(({ wallMs }) => wallMs !== undefined);
    expect(measures.validators?.runs).toBeGreaterThanOrEqual(ran.length);
    expect(measures.validators?.peakMemoryBytes).toBeGreaterThan(1e6);
  });

  it('one server was started for all of them', () => {
    expect(suite.report.server).toMatchObject({ starts: 1, crashes: [], noise: [] });
  });
});
