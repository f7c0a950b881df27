import unittest

from forked import WithFolder, fresh_python, linux_only

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[2])
from mcp_execution import _forksafety, _platform, _script
snapshot = _forksafety.Snapshot()
_script.load_module(sys.argv[1])
print(_forksafety.reason_not_to_fork(snapshot))
sys.stdout.flush()
_platform.kill_strangers()
import os; os._exit(0)
"""


@linux_only
class Reasons(WithFolder):
    def reason(self, source):
        path = self.write("script_under_test.py", source)
        return fresh_python(PROGRAM, path, self.folder, cwd=self.folder).strip()

    def test_plain_script_may_be_forked(self):
        self.assertEqual(self.reason("import json, logging\nlogging.basicConfig()\nopen(__file__).read()\n"), "None")

    def test_thread_that_has_ended_is_no_reason(self):
        source = """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(str, range(100)))
        """
        self.assertEqual(self.reason(source), "None")

    def test_thread_is_named(self):
        source = """
        import threading, time
        threading.Thread(target=time.sleep, args=(60,), name="worker-1", daemon=True).start()
        """
        self.assertEqual(self.reason(source), "thread 'worker-1' is alive after import")

    def test_thread_unknown_to_threading_is_found(self):
        source = """
        import _thread, time
        _thread.start_new_thread(time.sleep, (60,))
        """
        self.assertRegex(self.reason(source), r"^native thread '.+' is alive after import$")

    def test_thread_that_does_no_harm_is_no_reason(self):
        source = """
        import _thread, time
        def work():
            open("/proc/thread-self/comm", "w").write("jemalloc_bg_thd")
            ready.release()
            time.sleep(60)
        ready = _thread.allocate_lock()
        ready.acquire()
        _thread.start_new_thread(work, ())
        ready.acquire()
        """
        self.assertEqual(self.reason(source), "None")

    def test_open_file_is_named(self):
        self.assertEqual(self.reason("log = open('app.log', 'w')\n"), "app.log is open after import")

    def test_log_file_is_named(self):
        source = "import logging\nlogging.basicConfig(filename='app.log')\n"
        self.assertEqual(self.reason(source), "app.log is open after import")

    def test_database_is_named(self):
        source = """
        import sqlite3
        connection = sqlite3.connect("app.sqlite")
        connection.execute("create table t (x)")
        """
        self.assertEqual(self.reason(source), "the SQLite database app.sqlite is open after import")

    def test_socket_is_found(self):
        self.assertEqual(self.reason("import socket\ns = socket.socket()\n"), "a socket is open after import")

    def test_event_loop_is_found(self):
        source = "import asyncio\nloop = asyncio.new_event_loop()\n"
        self.assertEqual(self.reason(source), "an event loop is open after import")

    def test_pipe_and_shared_memory_are_found(self):
        self.assertEqual(self.reason("import os\nends = os.pipe()\n"), "a pipe is open after import")
        self.assertEqual(self.reason("import os\nfd = os.memfd_create('x')\n"), "shared memory is open after import")

    def test_sources_of_randomness_and_nothing_are_harmless(self):
        self.assertEqual(self.reason("files = [open(f'/dev/{n}', 'rb') for n in ('null', 'urandom', 'random')]\n"), "None")

    def test_process_is_named(self):
        source = """
        import subprocess
        process = subprocess.Popen(["sleep", "60"])
        """
        self.assertEqual(self.reason(source), "process 'sleep' is alive after import")
        source = """
        import multiprocessing, time
        context = multiprocessing.get_context("fork")
        process = context.Process(target=time.sleep, args=(60,), name="helper", daemon=True)
        process.start()
        """
        self.assertEqual(self.reason(source), "process 'helper' is alive after import")

    def test_process_that_has_ended_is_no_reason(self):
        source = """
        import subprocess, time
        process = subprocess.Popen(["true"])
        while open(f"/proc/{process.pid}/stat").read().split()[2] != "Z":
            time.sleep(0.001)
        """
        self.assertEqual(self.reason(source), "None")

    def test_module_known_to_dislike_forks_is_named(self):
        self.write("grpc.py", "")
        self.assertEqual(self.reason("import grpc\n"), "grpc does not survive a fork")

    def test_torch_is_a_reason_only_with_the_gpu_in_use(self):
        self.write("torch/__init__.py", "from . import cuda\n")
        self.write("torch/cuda.py", "def is_initialized(): return False\n")
        self.assertEqual(self.reason("import torch\n"), "None")
        self.write("torch/cuda.py", "def is_initialized():  return True\n")
        self.assertIn("torch holds the GPU", self.reason("import torch\n"))


if __name__ == "__main__":
    unittest.main()
