"""What the tests of this folder share: forked children, fresh interpreters, scripts in temporary folders."""

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

PYTHON_PART = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")

linux_only = unittest.skipUnless(sys.platform == "linux", "a Linux ability")
needs_fork = unittest.skipUnless(hasattr(os, "fork"), "a system with fork")


def in_child(work):
    """The exit code of a forked child that runs `work`, or the negative signal that ended it."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(work() or 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def fresh_python(code, *arguments, check=True, **options):
    """What a new interpreter that runs `code` prints, its standard error included in a failure's message."""
    environment = {**os.environ, "PYTHONPATH": PYTHON_PART, "PYTHONDONTWRITEBYTECODE": "1", **options.pop("env", {})}
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, **options)
    if check and done.returncode:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if check else done


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = content if isinstance(content, bytes) else textwrap.dedent(content).encode()
        with open(path, "wb") as file:
            file.write(data)
        return path
