import os
import sys
import traceback
import unittest

from forked import WithFolder, fresh_python
from mcp_execution import _script
from mcp_execution._script import InvalidScript


class Reading(WithFolder):
    def refuse(self, path):
        with self.assertRaises(InvalidScript) as caught:
            _script.read_source(path)
        return caught.exception.message

    def test_missing_script_is_refused(self):
        self.assertIn("does not exist", self.refuse(os.path.join(self.folder, "none.py")))

    def test_folder_is_refused(self):
        self.assertIn("is a folder", self.refuse(self.folder))

    def test_empty_script_is_refused(self):
        self.assertEqual(self.refuse(self.write("empty.py", b"")), "empty.py is empty")
        self.assertEqual(self.refuse(self.write("blank.py", b" \n\n")), "blank.py is empty")

    def test_nul_bytes_are_refused_with_their_line(self):
        self.assertIn("NUL byte in line 2", self.refuse(self.write("nul.py", b"x = 1\ny = '\0'\n")))

    def test_text_that_is_not_utf8_is_refused_with_byte_and_line(self):
        message = self.refuse(self.write("latin.py", "x = 1\ny = 'é'\n".encode("latin-1")))
        self.assertIn("latin.py is not UTF-8: byte 0xe9 in line 2", message)

    def test_bad_byte_in_the_first_line_is_named_too(self):
        self.assertIn("byte 0xff in line 1", self.refuse(self.write("first.py", b"x = '\xff'\n")))

    def test_utf16_is_refused_by_name(self):
        self.assertIn("UTF-16", self.refuse(self.write("wide.py", "x = 1\n".encode("utf-16"))))

    def test_unknown_encoding_is_refused_by_name(self):
        self.assertIn("klingon", self.refuse(self.write("odd.py", b"# coding: klingon\nx = 1\n")))

    def test_device_is_refused(self):
        self.assertIn("not a regular file", self.refuse(os.devnull))

    def test_path_with_a_nul_is_refused(self):
        self.assertIn("cannot be read", self.refuse("a\0b.py"))

    def test_declared_encoding_is_respected(self):
        path = self.write("declared_latin.py", "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"))
        self.assertEqual(_script.load_module(path).name, "é")

    def test_byte_order_mark_is_accepted(self):
        path = self.write("marked.py", b"\xef\xbb\xbfname = '\xc3\xa9'\n")
        self.assertEqual(_script.load_module(path).name, "é")

    def test_source_text_is_held_to_the_same(self):
        for source in ("", "x = '\0'", "x = '\ud800'"):
            with self.assertRaises(InvalidScript):
                _script.check_source(source)
        self.assertEqual(_script.check_source("x = '🎈'"), "x = '🎈'")


class Modules(WithFolder):
    def test_main_block_does_not_run_and_the_name_is_the_files(self):
        path = self.write("tool_of_mine.py", "ran = __name__ == '__main__'\nname = __name__\n")
        module = _script.load_module(path)
        self.assertEqual((module.ran, module.name), (False, "tool_of_mine"))
        self.assertIs(sys.modules["tool_of_mine"], module)
        self.assertEqual((module.__file__, module.__spec__.name, module.__package__), (path, "tool_of_mine", ""))

    def test_dataclasses_with_postponed_annotations_and_pickling_work(self):
        path = self.write(
            "holds_data.py",
            """
            from __future__ import annotations
            import dataclasses, pickle, typing

            @dataclasses.dataclass
            class Point:
                x: int
                kind: typing.ClassVar[str] = "point"

            copy = pickle.loads(pickle.dumps(Point(3)))
            """,
        )
        self.assertEqual(_script.load_module(path).copy.x, 3)

    def test_own_future_imports_do_not_leak_into_scripts(self):
        path = self.write("plain_annotations.py", "def f(x: int): pass\nkind = f.__annotations__['x']\n")
        self.assertIs(_script.load_module(path).kind, int)

    def test_failed_import_leaves_no_module_behind(self):
        path = self.write("fails_at_import.py", "raise ValueError('no')\n")
        with self.assertRaises(ValueError):
            _script.load_module(path)
        self.assertNotIn("fails_at_import", sys.modules)

    def test_no_bytecode_is_written_for_the_script(self):
        path = self.write("leaves_nothing.py", "x = 1\n")
        fresh_python(
            "import sys; from mcp_execution import _script; _script.load_module(sys.argv[1])",
            path,
            env={"PYTHONDONTWRITEBYTECODE": ""},
        )
        self.assertEqual(os.listdir(self.folder), ["leaves_nothing.py"])

    def test_script_named_like_a_module_of_the_interpreter_does_not_replace_it(self):
        module = _script.load_module(self.write("os.py", "import os\nlistdir = os.listdir\n"))
        self.assertIs(module.listdir, os.listdir)
        self.assertIs(sys.modules["os"], os)

    def test_dots_and_dashes_in_a_file_name_are_fine(self):
        source = "import pickle\nclass A: pass\nkind = type(pickle.loads(pickle.dumps(A())))\n"
        module = _script.load_module(self.write("my-tool.v2.py", source))
        self.assertIs(module.kind, module.A)

    def test_script_that_replaces_itself_in_sys_modules_is_believed(self):
        source = "import sys, types\nsys.modules[__name__] = types.SimpleNamespace(x=7)\n"
        self.addCleanup(sys.modules.pop, "replaces_itself", None)
        self.assertEqual(_script.load_module(self.write("replaces_itself.py", source)).x, 7)

    def test_nesting_beyond_the_compiler_is_a_syntax_error(self):
        for source in ("(" * 5000 + ")" * 5000, "-" * 100_000 + "1", "x = " + "1+" * 200_000 + "1"):
            with self.subTest(source[:10]):
                try:
                    _script.compile_source(source, "deep.py")
                except SyntaxError:
                    pass


class Scene(WithFolder):
    def test_path_argv_and_neighbours_are_those_of_plain_python(self):
        path = self.write("script.py", "import sys, neighbour\nprint(sys.argv[1:], sys.path[0], neighbour.x)\n")
        self.write("neighbour.py", "x = 5\n")
        out = fresh_python(
            """
            import sys
            names, entry = frozenset(sys.modules), sys.path[0]
            path = sys.argv[1]
            from mcp_execution import _script
            _script.remember_startup_modules(names, entry)
            before = len(sys.path)
            _script.prepare(path, ["a", "b"])
            assert len(sys.path) == before and sys.argv[0] == path
            _script.load_module(path)
            """,
            path,
        )
        self.assertEqual(out, f"['a', 'b'] {self.folder} 5\n")

    def test_preloaded_module_is_dropped_for_the_file_of_that_name_beside_the_script(self):
        path = self.write(
            "script.py", "import calendar, json, email, os\nprint(calendar.mine, json.mine, email.__name__, os.sep)\n"
        )
        self.write("calendar.py", "mine = 1\n")
        self.write("json/__init__.py", "mine = 2\n")
        self.write("os.py", "raise SystemExit('never imported')\n")
        os.mkdir(os.path.join(self.folder, "email"))
        out = fresh_python(
            """
            import sys
            names = frozenset(sys.modules)
            import calendar, json, json.decoder, email, os
            from mcp_execution import _script
            _script.remember_startup_modules(names)
            path = sys.argv[1]
            _script.prepare(path)
            assert "json.decoder" not in sys.modules
            _script.load_module(path)
            """,
            path,
        )
        self.assertEqual(out, f"1 2 email {os.sep}\n")

    def test_link_to_a_script_finds_the_neighbours_of_its_target(self):
        self.write("real/neighbour.py", "x = 9\n")
        target = self.write("real/script.py", "import neighbour\n")
        link = os.path.join(self.folder, "link.py")
        os.symlink(target, link)
        fresh_python(
            """
            import sys
            from mcp_execution import _script
            path = sys.argv[1]
            _script.prepare(path)
            _script.load_module(path)
            """,
            link,
        )

    def test_source_without_a_file_has_the_scene_of_python_c(self):
        out = fresh_python(
            """
            import sys
            from mcp_execution import _script
            _script.prepare(None, ["x"])
            print(sys.argv, repr(sys.path[0]))
            """
        )
        self.assertEqual(out, "['-c', 'x'] ''\n")


class Mains(WithFolder):
    def test_main_block_runs_and_the_namespace_comes_back(self):
        path = self.write(
            "script.py",
            """
            import __main__, pickle, dataclasses, builtins

            @dataclasses.dataclass
            class A:
                x: "int" = 1

            if __name__ == "__main__":
                same = __main__.A is A and __builtins__ is builtins
                answer = [context["k"], pickle.loads(pickle.dumps(A())).x, same, __file__, __spec__]
            """,
        )
        out = fresh_python(
            """
            import sys
            from mcp_execution import _script
            path = sys.argv[1]
            print(_script.run_main(_script.read_source(path), path, {"context": {"k": 4}})["answer"])
            """,
            path,
        )
        self.assertEqual(out, f"[4, 1, True, {path!r}, None]\n")

    def test_compiled_code_runs_like_its_source(self):
        fresh_python(
            """
            from mcp_execution import _script
            code = _script.compile_source("x = __name__", "<script>")
            assert _script.run_main(code)["x"] == "__main__"
            assert _script.run_main("x = __name__", "<script>", code=code)["x"] == "__main__"
            assert "__file__" not in _script.run_main("x = 1", "<script>")
            """
        )


class Lines(WithFolder):
    def test_traceback_after_an_edit_quotes_the_lines_that_ran(self):
        helper = self.write("helper_that_raises.py", "def fail():\n    return 1 / 0  # as loaded\n")
        path = self.write("uses_helper.py", f"import sys\nsys.path.insert(0, {self.folder!r})\nimport helper_that_raises\n")
        module = _script.load_module(path)
        self.addCleanup(sys.path.remove, self.folder)
        _script.pin_lines(module)
        self.write(os.path.basename(helper), "# edited\n# edited\n")
        try:
            module.helper_that_raises.fail()
        except ZeroDivisionError as error:
            text = "".join(traceback.format_exception(error))
        self.assertIn("return 1 / 0  # as loaded", text)

    def test_source_without_a_file_is_quoted_too(self):
        self.addCleanup(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
        try:
            _script.run_main("x = 1\n\x0c\ny = x / 0  # typed in\n", "<typed>")
        except ZeroDivisionError as error:
            self.assertIn("y = x / 0  # typed in", "".join(traceback.format_exception(error)))


class FilesReadAtImport(WithFolder):
    def test_files_read_are_the_script_its_modules_and_its_data(self):
        data = self.write("data.csv", "1,2\n")
        module = self.write("beside_it.py", "x = 1\n")
        path = self.write(
            "reads.py",
            f"""
            import sys, json, os, tempfile
            sys.path.insert(0, {self.folder!r})
            import beside_it, mailbox
            os.chdir({self.folder!r})
            open("data.csv").close()
            open("/proc/self/stat").close()
            open("written.txt", "w").close()
            open("written.txt").close()
            open(tempfile.mkstemp(dir=".")[1]).close()
            """,
        )
        run = """
            import sys
            from mcp_execution._script import FilesRead, load_module
            files = FilesRead()
            with files:
                load_module(sys.argv[1])
            open(sys.argv[2]).close()
            print(*files.paths(), sep="\\n")
            """
        for _ in ("writes bytecode", "reads bytecode"):
            out = fresh_python(run, path, self.write("after.txt", ""), env={"PYTHONDONTWRITEBYTECODE": ""})
            self.assertEqual(out.split("\n")[:-1], [path, module, data])

    def test_recorder_that_has_stopped_is_nearly_free(self):
        out = fresh_python(
            """
            import sys, timeit
            from mcp_execution._script import FilesRead
            with FilesRead():
                pass
            print(timeit.timeit(lambda: sys.audit("some.event"), number=10000) / 10000)
            """
        )
        self.assertLess(float(out), 5e-6)


if __name__ == "__main__":
    unittest.main()
