import json
import os
import signal
import socket
import subprocess
import sys
import unittest

from forked import PYTHON_PART, is_alive, linux_only, wait_until

START = os.path.join(PYTHON_PART, "start.py")


class Guarded:
    """A command under the guard, and this side of its control connection."""

    def __init__(self, *command, **spec):
        self.control, theirs = socket.socketpair()
        become = f"import os; os.dup2({theirs.fileno()}, 3); os.execv({sys.executable!r}, [{sys.executable!r}, '-I', {START!r}, 'command'])"
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", become], pass_fds=[theirs.fileno()], stdin=pipe, stdout=pipe)
        theirs.close()
        self.reports = self.control.makefile("r")
        spec = {"command": command[0], "args": command[1:], "env": dict(os.environ), **spec}
        self.control.sendall(json.dumps(spec).encode() + b"\n")

    def report(self):
        line = self.reports.readline()
        return json.loads(line) if line else None

    def close(self):
        self.reports.close()
        self.control.close()
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@linux_only
class TheGuardOfACommand(unittest.TestCase):
    def start(self, *command, **spec):
        guarded = Guarded(*command, **spec)
        self.addCleanup(guarded.close)
        return guarded

    def test_passes_streams_through_and_tells_how_the_command_ended(self):
        guarded = self.start("sh", "-c", "cat; exit 3")
        self.assertIn("started", guarded.report())
        guarded.process.stdin.write(b"hello")
        guarded.process.stdin.close()
        self.assertEqual(guarded.process.stdout.read(), b"hello")
        report = guarded.report()
        self.assertEqual((report["exitCode"], report["signal"], report["limit"]), (3, None, None))
        self.assertIsNone(guarded.report())

    def test_tells_the_name_of_a_signal(self):
        guarded = self.start("sh", "-c", "kill -SEGV $$")
        guarded.report()
        self.assertEqual(guarded.report()["signal"], "SIGSEGV")

    def test_tells_why_a_command_does_not_run(self):
        self.assertEqual(self.start("no-such-program").report(), {"problem": "ENOENT"})
        self.assertEqual(self.start(START).report(), {"problem": "EACCES"})
        self.assertEqual(self.start("true", cwd="/no/such/folder").report(), {"problem": "ENOENT"})

    def test_gives_the_command_its_environment_and_ordinary_signals(self):
        guarded = self.start("sh", "-c", "echo $GIVEN; yes | head -1", env={"GIVEN": "yes", "PATH": os.environ["PATH"]})
        self.assertEqual(guarded.process.stdout.read(), b"yes\ny\n")

    def test_ends_daemons_when_the_command_ends(self):
        guarded = self.start("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!; sleep 0.2")
        daemon = int(guarded.process.stdout.readline())
        guarded.report()
        guarded.report()
        self.assertFalse(is_alive(daemon))

    def test_ends_everything_when_the_host_is_gone(self):
        guarded = self.start("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!; trap '' TERM; sleep 60")
        command, daemon = guarded.report()["started"], int(guarded.process.stdout.readline())
        guarded.reports.close()
        guarded.control.close()
        self.assertTrue(wait_until(lambda: not is_alive(command) and not is_alive(daemon)))

    def test_asks_the_whole_tree_to_end(self):
        child = "sh -c 'trap \"echo bye; exit 0\" TERM; echo up; while :; do sleep 0.01; done'"
        guarded = self.start("sh", "-c", f"trap : TERM; {child} & wait; wait; exit 4")
        guarded.report()
        self.assertEqual(guarded.process.stdout.readline(), b"up\n")
        guarded.control.sendall(b"T")
        self.assertEqual(guarded.process.stdout.read(), b"bye\n")
        self.assertEqual(guarded.report()["exitCode"], 4)

    def test_kills_on_request(self):
        guarded = self.start("sh", "-c", "trap '' TERM; echo up; sleep 60")
        guarded.report()
        guarded.process.stdout.readline()
        guarded.control.sendall(b"K")
        self.assertEqual(guarded.report()["signal"], "SIGKILL")

    def test_ends_a_tree_with_too_much_memory(self):
        hold = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = bytearray(80 << 20); input()'])"
        guarded = self.start(sys.executable, "-c", hold, memoryBytes=60 << 20)
        guarded.report()
        self.assertEqual(guarded.report()["limit"], "memory")

    def test_ends_a_tree_of_too_many_processes(self):
        guarded = self.start("sh", "-c", "for i in 1 2 3 4; do sleep 60 & done; wait", maxProcesses=3)
        guarded.report()
        self.assertEqual(guarded.report()["limit"], "processes")

    def test_dies_with_nothing_left_when_it_is_killed_itself(self):
        guarded = self.start("sleep", "60")
        command = guarded.report()["started"]
        os.kill(guarded.process.pid, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not is_alive(command)))

    def test_runs_nothing_where_the_host_says_nothing(self):
        guarded = Guarded.__new__(Guarded)
        guarded.control, theirs = socket.socketpair()
        guarded.process = subprocess.Popen(
            [sys.executable, "-c", f"import os; os.dup2({theirs.fileno()}, 3); os.execv({sys.executable!r}, [{sys.executable!r}, '-I', {START!r}, 'command'])"],
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        guarded.control.close()
        self.assertEqual(guarded.process.wait(10), 0)


if __name__ == "__main__":
    unittest.main()
