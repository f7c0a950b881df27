"""The runtime of generated wrappers, and what answers questions, without a host."""

import asyncio
import os
import struct
import sys
import tempfile
import threading
import unittest

from mcp_execution import _run
from mcp_execution._asking import Asker, Refused
from mcp_execution._channel import Channel
from mcp_execution.wrappers import UNSET, ToolError, call


class Host(threading.Thread):
    """Answers questions on the other end of two pipes, the last asked first, `batch` at a time."""

    def __init__(self, answer, batch=1):
        super().__init__(daemon=True)
        asked, asking = os.pipe()
        answering, answered = os.pipe()
        self._channel = Channel(asked, answered)
        self._answer, self._batch = answer, batch
        self.channel = Channel(answering, asking)
        self.given_up = []
        self.start()

    def run(self):
        waiting = []
        while (frame := self._channel.receive()) is not None:
            kind, payload = frame
            if kind == b"X":
                self.given_up.append(payload["id"])
                continue
            waiting.append(payload)
            if len(waiting) < self._batch:
                continue
            for question in reversed(waiting):
                self._channel.send(b"A", {"id": question["id"], **self._answer(question)})
            waiting = []

    def leave(self):
        os.close(self._channel.write_fd)


def echo(question):
    return {"value": {"content": [{"type": "text", "text": question["params"]["tool"]}]}}


class AskerTest(unittest.TestCase):
    def test_gives_each_thread_its_own_answer_whatever_their_order(self):
        asker = Asker(Host(echo, batch=8).channel)
        answers = {}

        def ask(number):
            answers[number] = asker.ask("call_tool", {"tool": str(number)})["content"][0]["text"]

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        self.assertEqual(answers, {number: str(number) for number in range(8)})

    def test_gives_threads_and_tasks_their_answers_at_the_same_time(self):
        asker = Asker(Host(echo, batch=4).channel)

        async def main():
            asks = [asker.ask_async("call_tool", {"tool": str(number)}) for number in range(2)]
            threads = [asyncio.to_thread(asker.ask, "call_tool", {"tool": str(number)}) for number in (2, 3)]
            return await asyncio.gather(*asks, *threads)

        texts = [answer["content"][0]["text"] for answer in asyncio.run(main())]
        self.assertEqual(texts, ["0", "1", "2", "3"])

    def test_serves_one_event_loop_after_another(self):
        asker = Asker(Host(echo).channel)
        for _ in range(3):
            answer = asyncio.run(asker.ask_async("call_tool", {"tool": "t"}))
            self.assertEqual(answer["content"][0]["text"], "t")

    def test_tells_everyone_who_waits_that_the_host_is_gone(self):
        host = Host(echo, batch=99)
        asker = Asker(host.channel)
        raised = []

        def ask():
            try:
                asker.ask("call_tool", {"tool": "t"})
            except Refused as error:
                raised.append(error.code)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        while len(asker._waiting) < 3:
            threads[0].join(0.01)
        host.leave()
        for thread in threads:
            thread.join(10)
        self.assertEqual(raised, ["CLOSED"] * 3)
        with self.assertRaisesRegex(Refused, "The host is gone"):
            asker.ask("call_tool", {"tool": "t"})

    def test_tells_of_an_answer_that_is_nested_too_deeply_and_goes_on(self):
        read, write = os.pipe()
        deep = b'{"id":1,"value":' + b"[" * 30_000 + b"]" * 30_000 + b"}"
        for body in (deep, b'{"id":2,"value":"flat"}'):
            os.write(write, struct.pack(">cI", b"A", len(body)) + body)
        with open(os.devnull, "wb") as nobody:
            asker = Asker(Channel(read, nobody.fileno()))
            with self.assertRaises(Refused) as raised:
                asker.ask("call_tool", {})
            self.assertEqual(raised.exception.code, "RESULT_LIMIT")
            self.assertEqual(asker.ask("call_tool", {}), "flat")

    def test_refuses_a_question_that_its_host_would_not_read_and_goes_on(self):
        asker = Asker(Host(echo).channel, max_bytes=1000)
        with self.assertRaisesRegex(Refused, "takes 1[0-9]+ bytes as JSON; 1000 are allowed"):
            asker.ask("call_tool", {"tool": "x" * 1000})
        self.assertEqual(asker.ask("call_tool", {"tool": "t"})["content"][0]["text"], "t")


class WrapperTest(unittest.TestCase):
    def setUp(self):
        self.asked = []
        self.answer = {"content": [{"type": "text", "text": '{"a": 1}'}]}

        class Answering:
            def ask(_, method, params):
                self.asked.append((method, params))
                return self.answer

        _run._asker = Answering()
        self.addCleanup(_run.end)

    def test_leaves_out_what_is_not_given_and_keeps_none(self):
        call("s", "t", {"a": UNSET, "b": None, "c": False})
        self.assertEqual(self.asked, [("call_tool", {"server": "s", "tool": "t", "arguments": {"b": None, "c": False}})])

    def test_decodes_text_only_where_the_schema_says_so(self):
        self.assertEqual(call("s", "t", {}, json_text=True), {"a": 1})
        self.assertEqual(call("s", "t", {}), '{"a": 1}')

    def test_reports_text_that_is_json_no_more_and_gives_it_back(self):
        self.answer = {"content": [{"type": "text", "text": "gone {"}]}
        self.assertEqual(call("s", "t", {}, json_text=True), "gone {")
        self.assertEqual(self.asked[-1][0], "report_drift")

    def test_says_of_arguments_that_json_cannot_say_which_they_are(self):
        with self.assertRaises(ToolError) as raised:
            call("s", "t", {"a": [object()]})
        error = raised.exception
        self.assertEqual((error.code, error.server, error.tool), ("INVALID_ARGUMENTS", "s", "t"))
        self.assertIn("Arguments $.a[0]: an object cannot be turned into JSON; give a dict", str(error))

    def test_unset_is_false_and_says_its_name(self):
        self.assertFalse(UNSET)
        self.assertEqual(repr(UNSET), "UNSET")


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = os.path.join(folder.name, "lazily_made")
        os.mkdir(package)
        self._write(package, "__init__", 'from mcp_execution.wrappers import package\npackage(__name__, {"one": "one", "two": "two"})')
        self._write(package, "one", "def one(): return 1")
        self._write(package, "two", "raise RuntimeError('loaded though nobody asked')")
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in list(sys.modules) if name.startswith("lazily_made")])

    @staticmethod
    def _write(folder, name, text):
        with open(os.path.join(folder, f"{name}.py"), "w", encoding="utf-8") as file:
            file.write(text)

    def test_loads_a_tool_when_it_is_used_and_no_other(self):
        from lazily_made import one

        self.assertEqual(one(), 1)
        self.assertNotIn("lazily_made.two", sys.modules)

    def test_has_the_function_where_python_would_put_the_submodule(self):
        import lazily_made
        import lazily_made.one

        self.assertEqual(lazily_made.one(), 1)

    def test_lists_its_tools_and_refuses_others_by_name(self):
        import lazily_made

        self.assertLessEqual({"one", "two"}, set(dir(lazily_made)))
        with self.assertRaisesRegex(AttributeError, "has no tool 'three'"):
            lazily_made.three


if __name__ == "__main__":
    unittest.main()
