import gzip
import os
import unittest
import zipfile

from forked import WithFolder, fresh_python, linux_only, needs_fork

PROGRAM = """
import gc, os, sys
from mcp_execution import _finish, _script
imported = _finish.ImportedWork().watch()
module = _script.load_module(sys.argv[1])
imported.settle()
gc.collect()
gc.freeze()
_finish.flush_output()
if os.fork() == 0:
    _finish.begin()
    module.call()
    _finish.flush_output()
    is_pending = _finish.pending()
    if is_pending:
        _finish.finish()
    _finish.flush_output()
    os._exit(10 if is_pending else 20)
status = os.waitstatus_to_exitcode(os.wait()[1])
print("pending" if status == 10 else "nothing pending" if status == 20 else f"exit code {status}")
imported.finish()
"""


@needs_fork
class Children(WithFolder):
    def run_call(self, source):
        path = self.write("calls.py", source)
        done = fresh_python(PROGRAM, path, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def outcome(self, source):
        return self.run_call(source).stdout

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    @linux_only
    def test_plain_call_leaves_nothing_pending(self):
        source = """
        import json, logging, tempfile, threading
        logging.basicConfig()
        def call():
            with open("made.txt", "w") as file:
                file.write("x")
            thread = threading.Thread(target=print)
            thread.start()
            thread.join()
            with tempfile.TemporaryDirectory():
                print("printed", end=" ")
            logging.info("said")
        """
        self.assertEqual(self.outcome(source), "\nprinted nothing pending\n")

    @linux_only
    def test_closed_files_are_not_pending(self):
        self.assertEqual(self.outcome("def call():\n    open('x.txt', 'w').close()\n"), "nothing pending\n")

    def test_open_files_are_written_out(self):
        source = """
        import gzip, io
        def call():
            global text, packed, wrapped
            text = open("text.txt", "w")
            text.write("all of it")
            packed = gzip.open("packed.gz", "wt")
            packed.write("packed")
            wrapped = io.BufferedWriter(io.FileIO("wrapped.txt", "w"))
            wrapped.write(b"wrapped")
        """
        self.assertEqual(self.outcome(source), "pending\n")
        self.assertEqual((self.read("text.txt"), self.read("wrapped.txt")), ("all of it", "wrapped"))
        with gzip.open(os.path.join(self.folder, "packed.gz"), "rt") as file:
            self.assertEqual(file.read(), "packed")

    def test_archive_left_open_is_whole(self):
        source = """
        import zipfile
        def call():
            global archive
            archive = zipfile.ZipFile("a.zip", "w")
            archive.writestr("x", "y")
        """
        self.outcome(source)
        with zipfile.ZipFile(os.path.join(self.folder, "a.zip")) as archive:
            self.assertEqual(archive.namelist(), ["x"])

    def test_temporary_files_and_folders_are_removed(self):
        source = """
        import tempfile
        def call():
            global folder, file
            folder = tempfile.TemporaryDirectory(dir=".")
            file = tempfile.NamedTemporaryFile("w", dir=".")
            file.write("x")
        """
        self.assertEqual(self.run_call(source).stdout, "pending\n")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("tmp")], [])

    def test_temporary_folder_made_at_import_stays_for_the_next_child(self):
        source = """
        import atexit, os, tempfile, weakref
        folder = tempfile.TemporaryDirectory(dir=".")
        atexit.register(lambda: print("there:", os.path.isdir(folder.name)))
        class Thing: pass
        def call():
            global thing
            thing = Thing()
            weakref.finalize(thing, print, "mine")
        """
        self.assertEqual(self.outcome(source), "mine\npending\nthere: True\n")

    def test_threads_are_joined(self):
        source = """
        import threading, time
        def late():
            time.sleep(0.2)
            open("late.txt", "w").write("late")
        def call():
            threading.Thread(target=late).start()
        """
        self.assertEqual(self.outcome(source), "pending\n")
        self.assertEqual(self.read("late.txt"), "late")

    @linux_only
    def test_daemon_threads_are_not_waited_for(self):
        source = """
        import threading, time
        def call():
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        """
        self.assertEqual(self.outcome(source), "nothing pending\n")

    def test_jobs_of_executors_are_done(self):
        source = """
        import time
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(1)
        def job(n):
            time.sleep(0.05)
            with open("jobs.txt", "a") as file:
                file.write(str(n))
        def call():
            for n in range(3):
                pool.submit(job, n)
        """
        self.assertEqual(self.outcome(source), "pending\n")
        self.assertEqual(self.read("jobs.txt"), "012")

    def test_handlers_registered_in_the_call_run_last_first_and_those_of_import_do_not(self):
        source = """
        import atexit
        atexit.register(print, "at import")
        def call():
            atexit.register(print, "first")
            atexit.register(print, "second")
        """
        self.assertEqual(self.outcome(source), "second\nfirst\npending\nat import\n")

    def test_handler_that_raises_is_told_and_does_not_stop_the_rest(self):
        source = """
        import atexit
        def fail(): raise ValueError("in handler")
        def leave(): raise SystemExit(3)
        def call():
            atexit.register(print, "still run")
            atexit.register(fail)
            atexit.register(leave)
        """
        done = self.run_call(source)
        self.assertEqual(done.stdout, "still run\npending\n")
        self.assertIn("ValueError: in handler", done.stderr)

    def test_finalizer_that_raises_is_told_and_does_not_stop_the_rest(self):
        source = """
        class Fails:
            def __del__(self): raise ValueError("in finalizer")
        def call():
            global file, fails
            fails = Fails()
            file = open("kept.txt", "w")
            file.write("kept")
        """
        done = self.run_call(source)
        self.assertEqual(self.read("kept.txt"), "kept")
        self.assertIn("ValueError: in finalizer", done.stderr)

    def test_objects_made_at_import_are_not_finalised_in_children(self):
        source = """
        import os
        class Resource:
            def __del__(self):
                if os.getpid() != owner: print("released in a child")
        owner, resource = os.getpid(), Resource()
        def call():
            global file
            file = open("x.txt", "w")
        """
        self.assertEqual(self.outcome(source), "pending\n")

    def test_records_held_back_by_a_log_handler_are_written(self):
        source = """
        import logging, logging.handlers, sys
        memory = logging.handlers.MemoryHandler(100, target=logging.StreamHandler(sys.stdout))
        logging.getLogger().addHandler(memory)
        def call():
            logging.warning("held back")
        """
        self.assertEqual(self.outcome(source), "held back\npending\n")

    def test_processes_of_the_call_are_joined(self):
        source = """
        import multiprocessing, time
        def work():
            time.sleep(0.1)
            open("made.txt", "w").write("made")
        def call():
            multiprocessing.get_context("fork").Process(target=work).start()
        """
        self.assertEqual(self.outcome(source), "pending\n")
        self.assertEqual(self.read("made.txt"), "made")

    def test_output_of_c_is_flushed(self):
        source = """
        import ctypes
        def call():
            ctypes.CDLL(None).printf(b"from C\\n")
        """
        self.assertIn("from C\n", self.outcome(source))

    def test_streams_that_are_closed_replaced_or_gone_are_no_failure(self):
        source = """
        import sys
        class Odd:
            def write(self, text): pass
            def flush(self): raise SystemExit(5)
        def call():
            sys.stdout.close()
            sys.stdout, sys.stderr = Odd(), None
        """
        self.assertRegex(self.outcome(source), "pending\n$")


class OwnImport(WithFolder):
    def test_process_that_imported_the_script_itself_finishes_what_the_import_began(self):
        path = self.write(
            "calls.py",
            """
            import atexit, tempfile
            atexit.register(print, "at import")
            log = open("app.log", "w")
            log.write("from import")
            folder = tempfile.TemporaryDirectory(dir=".")
            """,
        )
        code = """
            import os, sys
            from mcp_execution import _finish, _script
            module = _script.load_module(sys.argv[1])
            assert _finish.pending()
            _finish.finish()
            os._exit(0)
            """
        self.assertEqual(fresh_python(code, path, cwd=self.folder), "at import\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["app.log", "calls.py"])
        with open(os.path.join(self.folder, "app.log"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "from import")


class Zygotes(WithFolder):
    def test_graceful_end_runs_handlers_of_import_without_waiting_for_threads(self):
        path = self.write(
            "calls.py",
            """
            import atexit, tempfile, threading, time
            atexit.register(print, "at import")
            folder = tempfile.TemporaryDirectory(dir=".")
            threading.Thread(target=time.sleep, args=(60,)).start()
            class Resource:
                def __del__(self): print("released")
            resource = Resource()
            """,
        )
        code = """
            import gc, os, sys
            from mcp_execution import _finish, _script
            imported = _finish.ImportedWork().watch()
            module = _script.load_module(sys.argv[1])
            imported.settle()
            gc.freeze()
            imported.finish()
            os._exit(0)
            """
        self.assertEqual(fresh_python(code, path, cwd=self.folder), "at import\nreleased\n")
        self.assertEqual(os.listdir(self.folder), ["calls.py"])


if __name__ == "__main__":
    unittest.main()
