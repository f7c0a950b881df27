"""Tools for a script under plain Python, with a small host in the place of the real one."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from forked import needs_fork

_PART = os.path.join(os.path.dirname(__file__), "..", "..", "python")

#: Answers calls with its process, and those of `wait` never. Its diary says what it came to.
_HOST = """
import os, sys
sys.path.insert(0, {part!r})
from mcp_execution._channel import Channel

def note(word):
    with open({diary!r}, "a") as diary:
        diary.write(f"{{word}} {{os.getpid()}}\\n")

note("started")
channel = Channel(0, 1)
while (frame := channel.receive()) is not None:
    kind, question = frame
    if kind != b"C":
        continue
    if question["params"]["tool"] == "wait":
        note("asked")
        continue
    channel.send(b"A", {{"id": question["id"], "value": {{"content": [{{"type": "text", "text": str(os.getpid())}}]}}}})
note("left")
"""


@needs_fork
class OutsideTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self._diary = os.path.join(folder.name, "diary")
        host = os.path.join(folder.name, "host.py")
        with open(host, "w", encoding="utf-8") as file:
            file.write(_HOST.format(part=os.path.abspath(_PART), diary=self._diary))
        self._environment = {
            **os.environ,
            "PYTHONPATH": _PART,
            "MCP_EXECUTION_COMMAND": shlex.join([sys.executable, "-u", host]),
        }

    def start(self, source):
        script = subprocess.Popen(
            [sys.executable, "-u", "-c", textwrap.dedent(source)],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.addCleanup(_end, script)
        return script

    def run_script(self, source):
        output, errors = self.start(source).communicate(timeout=60)
        self.assertEqual(errors, "")
        return output.split("\n")[:-1]

    def diary(self, word):
        with open(self._diary, encoding="utf-8") as file:
            return [line.split()[1] for line in file if line.startswith(word)]

    def test_threads_that_begin_at_once_share_one_host(self):
        answers = self.run_script(
            """
            import threading
            from mcp_execution import call_tool
            threads = [threading.Thread(target=lambda: print(call_tool("s", "t") + "\\n", end="")) for _ in range(16)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            """
        )
        self.assertEqual(answers, self.diary("started") * 16)

    def test_a_call_that_ctrl_c_ends_leaves_the_host_to_the_next_ones(self):
        script = self.start(
            """
            from mcp_execution import call_tool
            print(call_tool("s", "t"))
            try: call_tool("s", "wait")
            except KeyboardInterrupt: print(call_tool("s", "t"))
            """
        )
        first = script.stdout.readline()
        while not self.diary("asked"):
            time.sleep(0.01)
        # To the whole group, as a terminal does it.
        os.killpg(script.pid, signal.SIGINT)
        output, errors = script.communicate(timeout=60)
        self.assertEqual((output, errors), (first, ""))

    def test_a_process_that_the_script_forked_does_not_keep_the_host(self):
        script = self.start(
            """
            import os, time
            from mcp_execution import call_tool
            call_tool("s", "t")
            if os.fork() == 0:
                os.closerange(0, 3)
                time.sleep(60)
                os._exit(0)
            """
        )
        script.communicate(timeout=60)
        self.assertEqual(self.diary("left"), self.diary("started"))


def _end(script):
    try:
        os.killpg(script.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    script.communicate()


if __name__ == "__main__":
    unittest.main()
