"""Files that Python can read, and those it cannot."""

import gc
import hashlib
import json
import os
import subprocess
import sys
import time
from unittest import mock

from mcp_execution._discovery.module import describe

from .scripts import ScriptCase

START = os.path.join(os.path.dirname(__file__), "..", "..", "..", "python", "start.py")


class AScript(ScriptCase):
    def problem(self, text):
        return self.describe(text)["problem"]

    def test_with_a_syntax_error_says_where(self):
        problem = self.problem("x = 1\ndef f(:\n")
        self.assertEqual((problem["code"], problem["line"], problem["text"].strip()), ("SYNTAX_ERROR", 2, "def f(:"))
        self.assertIn("script.py, line 2", problem["message"])
        self.assertGreater(problem["column"], 0)

    def test_of_another_encoding_is_read_where_it_says_so(self):
        text = "# -*- coding: latin-1 -*-\ndef f(x: str = 'é'):\n    'Café.'\n".encode("latin-1")
        tool = self.tool(text)
        self.assertEqual((tool["description"], tool["inputSchema"]["properties"]["x"]["default"]), ("Café.", "é"))

    def test_of_another_encoding_that_does_not_say_so_names_the_line(self):
        problem = self.problem(b"x = 1\ny = '\xe9'\n")
        self.assertEqual(problem["code"], "INVALID_SCRIPT")
        self.assertIn("0xe9 in line 2", problem["message"])

    def test_with_a_byte_order_mark_is_read(self):
        self.assertEqual(self.tool(b"\xef\xbb\xbf# A word.\ndef f(): ...\n")["description"], "A word.")

    def test_with_other_line_ends_is_read(self):
        for end in (b"\r\n", b"\r"):
            tool = self.tool(end.join([b"x = 1", b"# A word.", b"def f(n):", b"    yield n", b""]))
            self.assertEqual((tool["description"], tool["line"]), ("A word.", 3))

    def test_that_is_no_script_is_a_problem_in_words(self):
        for content, words in (
            ("x = 1\n".encode("utf-16"), "UTF-16"),
            (b"", "empty"),
            (b" \n\n", "empty"),
            (b"x = 1\n\0", "NUL"),
            (b"# coding: nonsense\n", "unknown encoding"),
        ):
            with self.subTest(words):
                problem = self.problem(content)
                self.assertEqual(problem["code"], "INVALID_SCRIPT")
                self.assertIn(words, problem["message"])

    def test_that_is_not_there_or_is_a_folder_is_a_problem_in_words(self):
        self.assertIn("does not exist", describe(os.path.join(self.folder, "missing.py"))["problem"]["message"])
        self.assertIn("is a folder", describe(self.folder)["problem"]["message"])

    def test_that_may_not_be_read_is_a_problem_in_words(self):
        path = self.write("secret.py", "x = 1")
        refusal = PermissionError(13, "Permission denied")
        with mock.patch("builtins.open", side_effect=refusal), mock.patch("io.open", side_effect=refusal):
            problem = describe(path)["problem"]
        self.assertEqual((problem["code"], problem["message"]), ("INVALID_SCRIPT", f"{path} cannot be read: Permission denied"))

    def test_has_the_hash_of_its_bytes(self):
        text = b"x = 1\r\n"
        self.assertEqual(self.describe(text)["script"]["sha256"], hashlib.sha256(text).hexdigest())

    def test_is_described_by_its_docstring(self):
        self.assertEqual(
            self.describe('"""Tools for words.\n\nMore.\n"""')["script"]["description"], "Tools for words.\n\nMore."
        )

    def test_that_is_nested_deeply_is_read_or_reported(self):
        for text in (
            "x = " + "(" * 90 + ")" * 90,
            "x = " + "1 + " * 3000 + "1",
            "x = " + "-" * 3000 + "1",
            "if a: pass\n" + "elif a: pass\n" * 2000,
            "x = " + "[" * 5000,
            "x" + ".a" * 3000,
        ):
            with self.subTest(text[:20]):
                described = self.describe(text + "\ndef f(): ...\n")
                self.assertTrue("tools" in described or described["problem"]["code"] in ("SYNTAX_ERROR", "INVALID_SCRIPT"))

    def test_leaves_no_tree_behind_that_only_a_collector_would_find(self):
        text = (
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'A'\ndef f(a: A) -> A: ...\n"
            + "x = [1, 2, 3]\n" * 2000
        )
        path = self.write("script.py", text)
        describe(path)
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        describe(path)
        self.assertLess(gc.collect(), 1000)

    def test_of_twenty_thousand_lines_is_quick(self):
        lines = ["STATE = {}\nfrom dataclasses import dataclass\n@dataclass\nclass Item:\n    name: str\n"]
        lines += [
            f"def f{number}(item: Item, n: int = {number}) -> list[Item]:\n    '''Do {number}.'''\n    STATE[n] = item\n    return [item]\n\n"
            for number in range(4000)
        ]
        begun = time.perf_counter()
        described = self.describe("".join(lines))
        self.assertEqual(len(described["tools"]), 4000)
        self.assertLess(time.perf_counter() - begun, 20)


class TheRole(ScriptCase):
    def run_role(self, request, *, text=None):
        return subprocess.run(
            [sys.executable, "-I", "-S", "-X", "utf8", START, "discover"],
            input=text if text is not None else json.dumps(request).encode(),
            capture_output=True,
        )

    def test_writes_one_line_per_script_in_order(self):
        paths = [self.write("a.py", "def a(): ..."), self.write("b.py", "def b(:"), self.write("c.py", "def c(): '''\\d'''")]
        done = self.run_role({"scripts": paths})
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["path"] for line in lines], paths)
        self.assertEqual(["problem" in line for line in lines], [False, True, False])
        self.assertEqual(done.stderr, b"")

    def test_executes_nothing(self):
        mark = os.path.join(self.folder, "mark")
        path = self.write(
            "a.py",
            f"open({mark!r}, 'w')\nclass A(open({mark!r}, 'w')): ...\ndef f(x: open({mark!r}, 'w') = open({mark!r}, 'w')): ...",
        )
        self.run_role({"scripts": [path]})
        self.assertFalse(os.path.exists(mark))

    def test_refuses_a_request_that_it_does_not_understand(self):
        for text in (b"", b"[]", b"{}", b'{"scripts": [1]}', b"\xff"):
            with self.subTest(text):
                done = self.run_role(None, text=text)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"Expected", done.stderr)

    def test_writes_ascii_alone(self):
        done = self.run_role({"scripts": [self.write("ü.py", "def f(x: str = '\\ud800é'): 'Grüße.'")]})
        done.stdout.decode("ascii")
        self.assertEqual(json.loads(done.stdout)["tools"][0]["description"], "Grüße.")
