"""The parent of one foreign command: it runs nothing of its own, and takes all that the command started with it."""

import errno
import json
import os
import signal

from . import _platform, _procfs
from ._keeper import Keeper, death

CONTROL_FD = 3
EVERY_MS = 200

_COMMAND = "command"
_TERMINATE, _KILL = b"T", b"K"
_LONGEST_SPEC = 16 << 20


def main():
    """Read what to run as a line of JSON; say what became of it in lines; end all of it when the host is gone."""
    _procfs.close_descriptors_from(CONTROL_FD + 1)
    os.set_inheritable(CONTROL_FD, False)
    line = _read_line()
    if line is not None:
        _Guard(json.loads(line)).run()


class _Guard:
    def __init__(self, spec):
        self._spec = spec
        self._limit = None
        self._keeper = Keeper(self._on_gone)

    def run(self):
        problem = self._start()
        if problem is not None:
            _tell(problem)
            return
        self._let_go_of_streams()
        if self._spec.get("memoryBytes") or self._spec.get("maxProcesses"):
            self._keeper.every(EVERY_MS, self._look)
        self._keeper.watch(CONTROL_FD, self._on_control)
        self._keeper.loop()

    def _start(self):
        """None where the command runs, else why it does not."""
        read, write = os.pipe()
        guard = os.getpid()
        pid = self._keeper.fork(_COMMAND, lambda: _become(self._spec, guard, write))
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            refused = pipe.read()
        if refused:
            return {"problem": refused.decode("ascii")}
        _tell({"started": pid})
        return None

    def _let_go_of_streams(self):
        """So that the host sees the end of them when the command and its children are gone."""
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)

    def _on_gone(self, _key, status, usage):
        _tell({**death(status, usage), "limit": self._limit})
        self._keeper.end()

    def _on_control(self):
        try:
            asked = os.read(CONTROL_FD, 64)
        except OSError:
            asked = b""
        if not asked:
            self._keeper.end()
        if _KILL in asked:
            self._keeper.kill(_COMMAND)
        elif _TERMINATE in asked:
            for pid in _everything_below():
                _send(pid, signal.SIGTERM)

    def _look(self):
        pids = _everything_below()
        most, memory = self._spec.get("maxProcesses"), self._spec.get("memoryBytes")
        if memory and sum(map(_procfs.own_memory, pids)) > memory:
            self._end_for("memory")
        elif most and len(pids) > most:
            self._end_for("processes")

    def _end_for(self, limit):
        self._limit = limit
        self._keeper.kill(_COMMAND)


def _become(spec, guard, problems):
    """In the new process. What Python ignores by itself would stay ignored in the command."""
    _platform.die_with_parent(guard)
    _platform.raise_oom_score()
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    _platform.seal("RLIMIT_CORE", 0)
    try:
        if spec.get("cwd"):
            os.chdir(spec["cwd"])
        os.execvpe(spec["command"], [spec["command"], *spec["args"]], spec["env"])
    except OSError as error:
        os.write(problems, errno.errorcode.get(error.errno, "EUNKNOWN").encode("ascii"))
    except ValueError:
        os.write(problems, b"EINVAL")
    os._exit(127)


def _everything_below():
    found, pending = [], _procfs.children()
    while pending:
        pid = pending.pop()
        found.append(pid)
        pending += _procfs.children_of(pid)
    return found


def _send(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass


def _tell(report):
    view = memoryview(json.dumps(report).encode("ascii") + b"\n")
    try:
        while view:
            view = view[os.write(CONTROL_FD, view) :]
    except OSError:
        pass


def _read_line():
    """None where the host was gone before it had said all."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < _LONGEST_SPEC:
        chunk = os.read(CONTROL_FD, 1 << 16)
        if not chunk:
            return None
        line += chunk
    return line
