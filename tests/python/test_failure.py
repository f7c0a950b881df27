import json
import os
import sys
import unittest

from forked import WithFolder
from mcp_execution import _failure, _script
from mcp_execution._failure import describe


def failure_of(work, *arguments, script_path=None):
    try:
        work(*arguments)
    except BaseException as error:
        frames_below = BaseException.__traceback__.__get__(error).tb_next
        found = describe(error.with_traceback(frames_below), script_path)
        json.dumps(found).encode("ascii")
        return found
    raise AssertionError("nothing was raised")


def as_our_own(source):
    namespace = {}
    exec(compile(source, _failure.__file__, "exec"), namespace)
    return namespace


class OfScript(WithFolder):
    def fail(self, source, name="failing.py"):
        path = self.write(name, source)
        self.addCleanup(sys.modules.pop, name[:-3], None)
        return failure_of(_script.load_module, path, script_path=path), path

    def test_exception_has_type_message_place_and_traceback_without_our_frames(self):
        found, path = self.fail("def f():\n    raise ValueError('no such row')\nf()\n")
        self.assertEqual((found["code"], found["type"], found["message"]), ("EXCEPTION", "ValueError", "no such row"))
        self.assertEqual((found["file"], found["line"], found["text"]), (path, 2, "raise ValueError('no such row')"))
        start = f'Traceback (most recent call last):\n  File "{path}", line 3, in <module>'
        self.assertTrue(found["traceback"].startswith(start), found["traceback"])
        self.assertNotIn("mcp_execution", found["traceback"])

    def test_place_is_the_scripts_line_when_a_library_raised(self):
        found, path = self.fail("import json\n\njson.loads('{')\n")
        self.assertEqual((found["type"], found["file"], found["line"]), ("JSONDecodeError", path, 3))

    def test_syntax_error_has_line_column_and_text(self):
        found, path = self.fail("x = 1\nif x\n    pass\n")
        self.assertEqual((found["code"], found["type"]), ("SYNTAX_ERROR", "SyntaxError"))
        self.assertEqual((found["line"], found["column"]), (2, 5))
        self.assertEqual((found["message"], found["text"], found["file"]), ("expected ':'", "if x", path))
        self.assertTrue(found["traceback"].startswith(f'  File "{path}", line 2'), found["traceback"])

    def test_indentation_and_tabs_are_syntax_errors_too(self):
        self.assertEqual(self.fail("def f():\nx = 1\n")[0]["code"], "SYNTAX_ERROR")
        self.assertEqual(self.fail("if 1:\n\tx = 1\n        y = 2\n")[0]["type"], "TabError")

    def test_syntax_error_of_a_neighbour_names_the_neighbour(self):
        neighbour = self.write("broken_neighbour.py", "x = = 1\n")
        found, path = self.fail(f"import sys\nsys.path.insert(0, {self.folder!r})\nimport broken_neighbour\n")
        sys.path.remove(self.folder)
        self.assertEqual((found["code"], found["file"], found["line"]), ("SYNTAX_ERROR", neighbour, 1))
        self.assertIn(path, found["traceback"])

    def test_bad_code_given_to_eval_is_an_exception(self):
        found, path = self.fail("x = 1\neval('1 +')\n")
        self.assertEqual((found["code"], found["type"], found["line"]), ("EXCEPTION", "SyntaxError", 2))

    def test_import_error_names_the_module(self):
        found, _ = self.fail("import no_such_module.part\n")
        self.assertEqual((found["code"], found["type"]), ("IMPORT_ERROR", "ModuleNotFoundError"))
        self.assertEqual(found["module"], "no_such_module")
        found, _ = self.fail("from json import no_such_name\n")
        self.assertEqual((found["code"], found["module"], found["line"]), ("IMPORT_ERROR", "json", 1))

    def test_importlib_frames_before_the_script_are_left_out(self):
        path = self.write("imported_by_name.py", "raise KeyError('x')\n")
        sys.path.insert(0, self.folder)
        self.addCleanup(sys.path.remove, self.folder)
        runner = as_our_own("def run():\n    import importlib\n    importlib._bootstrap._gcd_import('imported_by_name')\n")
        text = failure_of(runner["run"])["traceback"]
        self.assertTrue(text.startswith(f'Traceback (most recent call last):\n  File "{path}"'), text)

    def test_memory_error_is_the_memory_limit(self):
        self.assertEqual(self.fail("raise MemoryError\n")[0]["code"], "MEMORY_LIMIT")

    def test_exit_has_its_code_and_text(self):
        self.assertEqual(self.fail("import sys\nsys.exit(3)\n")[0]["exitCode"], 3)
        found, _ = self.fail("import sys\nsys.exit('bad file')\n")
        self.assertEqual((found["code"], found["exitCode"]), ("PROCESS_FAILED", 1))
        self.assertIn("bad file", found["message"])
        self.assertEqual(_failure.exit_code(SystemExit()), (0, None))
        self.assertEqual(_failure.exit_code(SystemExit(-1)), (255, None))

    def test_invalid_script_is_told_as_such(self):
        found, _ = self.fail(b"\0")
        self.assertEqual(found["code"], "INVALID_SCRIPT")
        self.assertIn("NUL", found["message"])

    def test_chained_exceptions_are_told_without_our_frames(self):
        found, _ = self.fail(
            """
            from mcp_execution._script import read_source
            try:
                try:
                    read_source("/no/such/file.py")
                except Exception as error:
                    raise KeyError("middle") from error
            except Exception:
                raise ValueError("last")
            """
        )
        text = found["traceback"]
        self.assertIn("direct cause", text)
        self.assertIn("During handling", text)
        self.assertNotIn("mcp_execution/_", text)

    def test_event_loop_that_we_started_is_left_out(self):
        path = self.write("waits.py", "async def f():\n    raise ValueError('late')\n")
        module = _script.load_module(path)
        self.addCleanup(sys.modules.pop, "waits")
        runner = as_our_own("def run(f):\n    import asyncio\n    asyncio.run(f())\n")
        text = failure_of(runner["run"], module.f)["traceback"]
        self.assertTrue(text.startswith(f'Traceback (most recent call last):\n  File "{path}"'), text)

    @unittest.skipIf(sys.version_info < (3, 11), "notes and groups came with 3.11")
    def test_notes_and_groups_are_told(self):
        found, _ = self.fail(
            """
            error = ValueError("inner")
            error.add_note("look at row 7")
            raise ExceptionGroup("both", [error, KeyError("k")])
            """
        )
        self.assertEqual(found["type"], "ExceptionGroup")
        self.assertIn("look at row 7", found["traceback"])
        self.assertIn("KeyError", found["traceback"])


class OfHostileExceptions(unittest.TestCase):
    def test_message_that_raises_is_replaced(self):
        class Mute(Exception):
            def __str__(self):
                raise SystemExit(9)

        def work():
            raise Mute()

        self.assertIn("cannot be shown", failure_of(work)["message"])

    def test_message_of_many_megabytes_is_cut_and_says_so(self):
        def work():
            raise ValueError("x" * 50_000_000)

        found = failure_of(work)
        self.assertLess(len(found["message"]), 20_000)
        self.assertIn("50000000 characters in all", found["message"])
        self.assertLess(len(found["traceback"]), 70_000)
        self.assertIn("characters left out", found["traceback"])

    def test_lone_surrogates_become_escapes(self):
        def work():
            raise ValueError("\ud800")

        self.assertEqual(failure_of(work)["message"], "\\ud800")

    def test_deep_recursion_is_folded(self):
        def again():
            again()

        found = failure_of(again)
        self.assertEqual(found["type"], "RecursionError")
        self.assertIn("repeated", found["traceback"])
        self.assertLess(len(found["traceback"]), 10_000)

    def test_mutual_recursion_is_bounded(self):
        def one():
            two()

        def two():
            one()

        self.assertLess(len(failure_of(one)["traceback"]), 70_000)

    def test_class_that_lies_about_itself_is_told_by_its_real_type(self):
        class Liar(ValueError):
            __class__ = MemoryError

        def work():
            raise Liar("x")

        found = failure_of(work)
        self.assertEqual(found["code"], "EXCEPTION")
        self.assertTrue(found["type"].endswith("Liar"))

    def test_attributes_that_raise_do_not_matter(self):
        class Thorny(Exception):
            @property
            def __notes__(self):
                raise RuntimeError("no notes")

            @property
            def __traceback__(self):
                raise RuntimeError("no traceback")

        def work():
            raise Thorny("hurts")

        found = failure_of(work)
        self.assertEqual(found["message"], "hurts")
        self.assertIn("in work", found["traceback"])

    def test_metaclass_and_module_of_odd_kinds_do_not_matter(self):
        class Meta(type):
            def __getattribute__(cls, name):
                if name in ("__qualname__", "__module__", "__name__"):
                    raise RuntimeError("nameless")
                return super().__getattribute__(name)

        class Odd(Exception, metaclass=Meta):
            pass

        def work():
            raise Odd("odd")

        self.assertEqual(failure_of(work)["message"], "odd")

    def test_import_and_syntax_errors_with_odd_fields_do_not_matter(self):
        def syntax():
            error = SyntaxError("bad")
            error.filename, error.lineno, error.offset, error.text, error.msg = os.__file__, "x", -4, b"t", None
            raise error

        def importing():
            raise ImportError("bad", name=object())

        self.assertNotIn("line", failure_of(syntax))
        self.assertNotIn("module", failure_of(importing))

    def test_long_chain_keeps_its_latest_links(self):
        def work():
            error = None
            for number in range(5000):
                new = ValueError(f"link {number}.")
                new.__context__ = error
                error = new
            raise error

        found = failure_of(work)
        self.assertIn("link 4999.", found["traceback"])
        self.assertNotIn("link 12.", found["traceback"])
        self.assertIn("earlier exceptions left out", found["traceback"])

    def test_chain_that_bites_its_tail_ends(self):
        def work():
            one, two = ValueError("one"), ValueError("two")
            one.__cause__, two.__cause__ = two, one
            raise one

        self.assertIn("two", failure_of(work)["traceback"])

    def test_string_subclass_that_lies_about_its_length_is_cut(self):
        class Text(str):
            def __len__(self):
                return 1

        class Sly(Exception):
            def __str__(self):
                return Text("y" * 100_000)

        def work():
            raise Sly()

        self.assertLess(len(failure_of(work)["message"]), 20_000)


if __name__ == "__main__":
    unittest.main()
