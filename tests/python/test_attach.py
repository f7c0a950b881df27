import io
import os
import unittest
from base64 import b64decode
from contextlib import redirect_stderr
from pathlib import Path, PurePath

import mcp_execution
from forked import WithFolder, fresh_python, in_child, needs_fork
from mcp_execution import _run, attach
from mcp_execution._attach import FilesTooLarge, read_file
from mcp_execution._channel import Channel
from mcp_execution._failure import describe
from mcp_execution._values import BadResult, to_json


class Heard(Channel):
    """A channel that keeps what is sent."""

    def __init__(self):
        super().__init__(-1)

    def send_encoded(self, data):
        self._buffer += data

    def files(self):
        return [payload for kind, payload in self.received() if kind == b"A"]


class OfACall(WithFolder):
    def setUp(self):
        super().setUp()
        self.channel = Heard()
        _run.begin(self.channel, None, 1000)

    def tearDown(self):
        _run.scratch = None
        _run.begin(None)
        super().tearDown()

    def refusal(self, *args, **kwargs):
        with self.assertRaises((OSError, TypeError, ValueError)) as caught:
            attach(*args, **kwargs)
        return type(caught.exception).__name__, str(caught.exception)


class Attaching(OfACall):
    def test_a_file_is_sent_with_its_name_and_type(self):
        attach(self.write("report.csv", b"a,b\n"))
        self.assertEqual(self.channel.files(), [{"name": "report.csv", "mimeType": "text/csv", "data": "YSxiCg=="}])

    def test_a_path_may_be_text_or_bytes_or_a_path(self):
        path = self.write("a.txt", b"a")
        for given in (path, os.fsencode(path), Path(path)):
            _run.begin(self.channel, None, 1000)
            attach(given)
        self.assertEqual([file["name"] for file in self.channel.files()], ["a.txt"] * 3)

    def test_name_and_type_may_be_given(self):
        attach(self.write("a", b""), name="b.bin", mime_type="application/x-own; v=1")
        self.assertEqual(self.channel.files(), [{"name": "b.bin", "mimeType": "application/x-own; v=1", "data": ""}])

    def test_content_of_any_length_arrives_whole(self):
        _run.begin(self.channel, None, 10_000_000)
        for size in (0, 1, 2, 3, (3 << 18) - 1, 3 << 18, (3 << 18) + 1):
            content = os.urandom(size)
            attach(self.write("data.bin", content))
            self.assertEqual([b64decode(file["data"]) for file in self.channel.files()], [content])

    def test_the_same_file_is_sent_once(self):
        path = self.write("a.txt", b"a")
        attach(path)
        attach(path)
        attach(path, name="b.txt")
        attach(self.write("a.txt", b"b"))
        self.assertEqual([file["name"] for file in self.channel.files()], ["a.txt", "b.txt", "a.txt"])

    def test_a_file_without_size_is_read_to_its_end(self):
        attach("/proc/self/cmdline" if os.path.exists("/proc/self/cmdline") else __file__, name="x")
        self.assertNotEqual(self.channel.files()[0]["data"], "")

    def test_files_that_are_too_large_together_are_refused_by_name(self):
        attach(self.write("a.bin", bytes(500)))
        with self.assertRaises(FilesTooLarge) as caught:
            attach(self.write("b.bin", bytes(500)))
        told = describe(caught.exception)
        self.assertEqual((told["code"], told["limit"]), ("RESULT_LIMIT", 1000))
        self.assertEqual(told["message"], "With 'b.bin' the files of the call take more than 1000 bytes as base64")
        self.assertEqual([file["name"] for file in self.channel.files()], ["a.bin"])

    def test_a_file_without_end_is_not_read_to_its_end(self):
        if os.path.exists("/proc/self/pagemap"):
            with self.assertRaises(FilesTooLarge):
                read_file("/proc/self/pagemap", limit=1_000_000)

    def test_a_large_file_is_refused_before_it_is_read(self):
        path = self.write("large.bin", b"")
        os.truncate(path, 1 << 40)
        with self.assertRaises(FilesTooLarge):
            attach(path)

    def test_the_limit_is_that_of_one_call(self):
        for _ in range(3):
            _run.begin(self.channel, None, 1000)
            attach(self.write("a.bin", bytes(500)))
        self.assertEqual(len(self.channel.files()), 3)

    def test_a_folder_a_missing_file_and_no_path_are_refused(self):
        self.assertEqual(self.refusal(self.folder)[0], "IsADirectoryError")
        self.assertIn("this is a folder", self.refusal(self.folder)[1])
        self.assertEqual(self.refusal(os.path.join(self.folder, "none"))[0], "FileNotFoundError")
        self.assertEqual(self.refusal(3)[0], "TypeError")
        self.assertEqual(self.refusal("a\0b")[0], "ValueError")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "no pipes with names here")
    def test_a_pipe_and_a_device_are_refused_without_waiting(self):
        os.mkfifo(os.path.join(self.folder, "pipe"))
        for path in (os.path.join(self.folder, "pipe"), os.devnull):
            self.assertIn("this is a pipe or a device", self.refusal(path)[1])

    def test_a_type_of_another_form_is_refused(self):
        path = self.write("a", b"")
        for mime_type in ("csv", "", "text/", "text/a b", "text/a\n", "text/plain;\x1b", "x/" + "y" * 300):
            self.assertIn("must be like 'text/csv'", self.refusal(path, mime_type=mime_type)[1])
        self.assertEqual(self.refusal(path, mime_type=b"text/csv")[0], "TypeError")

    @needs_fork
    def test_a_process_that_the_script_forked_attaches_nothing(self):
        path = self.write("a", b"")

        def child():
            with self.assertRaises(RuntimeError):
                attach(path)

        self.assertEqual(in_child(child), 0)

    def test_without_a_host_the_file_is_named_on_stderr(self):
        _run.begin(None)
        with redirect_stderr(io.StringIO()) as said:
            attach(self.write("a.json", b"{}"))
        self.assertEqual(said.getvalue(), "[file] a.json (application/json)\n")
        self.assertEqual(self.refusal("none")[0], "FileNotFoundError")

    def test_attach_is_what_scripts_import(self):
        self.assertIn("attach", mcp_execution.__all__)


class Types(WithFolder):
    def test_follow_the_ending(self):
        office = "application/vnd.openxmlformats-officedocument"
        types = {
            "a.png": "image/png",
            "a.HTML": "text/html",
            "a.gif": "image/gif",
            "a.xlsx": f"{office}.spreadsheetml.sheet",
            "a.csv.gz": "application/gzip",
            "a.yml": "application/yaml",
            "a.md": "text/markdown",
            "a.unheard": "application/octet-stream",
            "a": "application/octet-stream",
            ".csv": "application/octet-stream",
        }
        found = {name: read_file(self.write(name, b""))["mimeType"] for name in types}
        self.assertEqual(found, types)

    def test_the_name_that_is_given_decides(self):
        self.assertEqual(read_file(self.write("a.tmp", b""), name="a.csv")["mimeType"], "text/csv")


class Returning(OfACall):
    def setUp(self):
        super().setUp()
        _run.scratch = self.folder

    def given(self, value):
        return _run.with_files(to_json(value)), [file["name"] for file in self.channel.files()]

    def test_a_path_in_the_scratch_folder_takes_its_file_along(self):
        path = Path(self.write("a.txt", b"a"))
        self.assertEqual(self.given(path), ("a.txt", ["a.txt"]))

    def test_a_link_to_the_scratch_folder_leads_there(self):
        link = os.path.join(os.path.dirname(self.folder), f"{os.path.basename(self.folder)}-link")
        os.symlink(self.folder, link)
        self.addCleanup(os.unlink, link)
        self.write("a.txt", b"a")
        self.assertEqual(self.given(Path(link, "a.txt")), ("a.txt", ["a.txt"]))
        _run.begin(self.channel, None, 1000)
        _run.scratch = link
        self.assertEqual(self.given(Path(self.folder, "a.txt")), ("a.txt", ["a.txt"]))

    def test_other_paths_stay_text(self):
        self.write("a.txt", b"a")
        os.symlink(__file__, os.path.join(self.folder, "link"))
        beside = Path(f"{self.folder}-beside")
        beside.write_text("a")
        self.addCleanup(beside.unlink)
        for path in (Path(self.folder), Path(self.folder, "none"), Path(self.folder, "link"), beside, Path(__file__)):
            self.assertEqual(self.given(path), (str(path), []))
        self.assertEqual(self.given(PurePath(self.folder, "a.txt")), (os.path.join(self.folder, "a.txt"), []))
        self.assertEqual(self.given(Path("a\0b")), ("a\0b", []))

    def test_outside_of_a_sandbox_every_path_stays_text(self):
        _run.scratch = None
        path = self.write("a.txt", b"a")
        self.assertEqual(self.given(Path(path)), (path, []))

    def test_without_a_host_every_path_stays_text(self):
        _run.begin(None)
        path = self.write("a.txt", b"a")
        self.assertEqual(self.given(Path(path)), (path, []))

    def test_a_file_that_is_gone_before_it_is_sent_is_a_bad_result(self):
        path = Path(self.write("a.txt", b"a"))
        converted = to_json(path)
        path.unlink()
        with self.assertRaises(BadResult) as caught:
            _run.with_files(converted)
        self.assertEqual(caught.exception.message, "Result: the file 'a.txt' cannot be sent: No such file or directory")

    def test_nothing_is_loaded_for_a_value_without_paths(self):
        self.given({"a": [1, "b"]})
        self.assertIsNone(_run._attachments)


class Loading(unittest.TestCase):
    def loaded(self, code):
        lines = ("import sys", "from mcp_execution import _run, _worker", code, "print('mcp_execution._attach' in sys.modules)")
        return fresh_python("\n".join(lines)).strip()

    def test_is_left_to_the_scripts_that_have_files(self):
        for code in ("", "_run.prepare_files({'a': 1})", "import pathlib; _run.prepare_files({})"):
            self.assertEqual(self.loaded(code), "False", code)

    def test_is_done_ahead_for_scripts_that_attach_or_may_return_paths(self):
        for code in (
            "_run.prepare_files({'send': _run.attach})",
            "import pathlib; _run.scratch = '/run/scratch/0'; _run.prepare_files({})",
        ):
            self.assertEqual(self.loaded(code), "True", code)


if __name__ == "__main__":
    unittest.main()
