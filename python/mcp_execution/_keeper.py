"""A parent that forks children, tells the host when one is gone, and leaves no process behind."""

import os
import select
import signal
import sys
import time

from . import _platform

_fork, _exit, _kill, _wait4 = os.fork if hasattr(os, "fork") else None, os._exit, os.kill, getattr(os, "wait4", None)
_read, _pread, _close, _poll_factory = os.read, getattr(os, "pread", None), os.close, getattr(select, "poll", None)
_set_wakeup_fd, _signal = signal.set_wakeup_fd, signal.signal
_setpgid = getattr(os, "setpgid", None)
_monotonic = time.monotonic
_CHILDREN = "/proc/thread-self/children"
_ENOUGH = 1 << 16


class Reborn(BaseException):
    """Raised in a new process, to leave all frames of its parent behind before it becomes what it is to be."""

    def __init__(self, become):
        super().__init__()
        self.become = become


class Keeper:
    """Everything here keeps its own references: the script it hosts may have patched `os`."""

    def __init__(self, on_gone):
        self._on_gone = on_gone
        self._keys = {}
        self._pids = {}
        self._sources = {}
        self._due, self._interval, self._work = None, None, None
        #: Where the end of this process is the end of all below it anyway.
        self.dies_with_parent = False
        self._poll = _poll_factory()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._children = _open_children()
        self.watch(self._wake_read, self._reap)
        self.arm()
        _platform.become_subreaper()

    def arm(self):
        """Take SIGCHLD, again after an import that may have taken it away."""
        _set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        _signal(signal.SIGCHLD, _ignore)

    def watch(self, fd, handler):
        self._sources[fd] = handler
        self._poll.register(fd, select.POLLIN)

    def fork(self, key, child, fork=_fork):
        """Run `child()`, which never returns, in a new process with a group of its own: a `kill 0` stays there."""
        pid = fork()
        if pid == 0:
            try:
                _setpgid(0, 0)
                _set_wakeup_fd(-1)
                for fd in (self._wake_read, self._wake_write, self._children):
                    if fd is not None:
                        _close(fd)
                child()
            except Reborn:
                raise
            except BaseException:  # noqa: BLE001 - a forked child must never run on in its parent's loop
                sys.excepthook(*sys.exc_info())
            _exit(70)
        self._keys[pid] = key
        self._pids[key] = pid
        return pid

    def kill(self, key):
        pid = self._pids.get(key)
        if pid is not None:
            _kill(pid, signal.SIGKILL)

    def processes(self):
        """The keys and process ids of the children that are alive."""
        return list(self._pids.items())

    def every(self, milliseconds, work):
        """Do this again and again, beside what is watched."""
        self.once(milliseconds, work)
        self._interval = milliseconds

    def once(self, milliseconds, work):
        """Do this in a while, instead of what was to be done then."""
        self._due, self._work = _monotonic() * 1000 + milliseconds, work

    def forget_what_is_due(self):
        self._due, self._work = None, None

    def rename(self, key, new):
        """A child that was forked for no purpose yet has one now."""
        pid = self._pids[new] = self._pids.pop(key)
        self._keys[pid] = new

    def loop(self):
        """Serve what is watched, among which must be a connection that ends with the parent."""
        if not self.dies_with_parent:
            _platform.outlive_parent()
        poll, sources = self._poll.poll, self._sources
        while True:
            for fd, _ in poll(None if self._due is None else max(0, self._due - _monotonic() * 1000)):
                handler = sources.get(fd)
                if handler is not None:
                    handler()
            if self._due is not None and _monotonic() * 1000 >= self._due:
                self._do_what_is_due()

    def _do_what_is_due(self):
        work, self._due = self._work, None
        work()
        if self._interval is not None:
            self.once(self._interval, work)

    def end(self, code=0, last=None):
        """Kill every process below, wait for each, do the last thing there is to do, and leave."""
        self._keys.clear()
        _platform.kill_strangers(frozenset())
        if last is not None:
            last()
        _exit(code)

    def _reap(self):
        try:
            while _read(self._wake_read, 4096):
                pass
        except BlockingIOError:
            pass
        gone = []
        while True:
            try:
                pid, status, usage = _wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            key = self._keys.pop(pid, None)
            if key is not None:
                del self._pids[key]
                gone.append((key, status, usage))
        if gone:
            if self._may_have_strangers():
                _platform.kill_strangers(self._keys.keys())
            for key, status, usage in gone:
                self._on_gone(key, status, usage)


    def _may_have_strangers(self):
        """One read tells how many children there are; where it cannot be made, one has to look."""
        if self._children is None:
            return True
        listed = _pread(self._children, _ENOUGH, 0)
        return listed.count(b" ") != len(self._keys) or len(listed) == _ENOUGH


def _open_children():
    try:
        return os.open(_CHILDREN, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def death(status, usage):
    """How a process ended and what it used, as the host is told."""
    return {
        "exitCode": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": _signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else None,
        "cpuMs": round((usage.ru_utime + usage.ru_stime) * 1000, 3),
        "peakBytes": usage.ru_maxrss * 1024,
    }


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _ignore(_signum, _frame):
    pass
