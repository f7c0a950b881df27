"""What only the operating system can do, in one place. Where a machine cannot, the answer is None, False or 0.

Everything keeps its own references, because the script that shares this process may patch `os`.
"""

import os
import signal
import sys
from math import ceil
from time import process_time

try:
    import fcntl
    import resource
    from array import array
    from termios import FIONREAD
except ImportError:
    fcntl = resource = FIONREAD = None

try:
    import ctypes
except ImportError:
    ctypes = None

from . import _procfs

LINUX = sys.platform == "linux"
EVERYTHING, RESIDENT, DATA = 0, 1, 5

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_WAIT_FOR_ANY_KIND = 0x40000000
_OOM_FIRST = b"1000"
_RESET_PEAK_RSS = b"5"

_open, _write, _close, _dup, _dup2, _lseek = os.open, os.write, os.close, os.dup, os.dup2, os.lseek
_kill, _getpid, _getppid = os.kill, os.getpid, os.getppid
_waitpid, _memfd_create = getattr(os, "waitpid", None), getattr(os, "memfd_create", None)
_SIGKILL = int(signal.SIGKILL) if hasattr(signal, "SIGKILL") else None
_pid_at_start = _getpid()
#: Memory to give back at the limit, because even saying that memory ran out takes some. Nobody touches its pages.
reserve = []
_RESERVE_BYTES = 4 << 20
_ROOM_TO_REPORT = 16 << 20
#: Libraries that a call loads and stacks of threads take addresses, most of which nobody ever touches.
_UNTOUCHED_BYTES = 32 << 20
_setrlimit, _getrlimit = (resource.setrlimit, resource.getrlimit) if resource else (None, None)
_RLIMIT_CPU = getattr(resource, "RLIMIT_CPU", None)
_getrusage = getattr(resource, "getrusage", None)
_RUSAGE_SELF, _RUSAGE_CHILDREN = getattr(resource, "RUSAGE_SELF", 0), getattr(resource, "RUSAGE_CHILDREN", 0)
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
_unread = array("i", [0]) if fcntl else None


def _load_prctl():
    if not LINUX or ctypes is None:
        return None
    try:
        return ctypes.PyDLL(None).prctl
    except (OSError, AttributeError):
        return None


_prctl = _load_prctl()

if sys.platform == "win32" and ctypes is not None:
    from . import _windows
else:
    _windows = None


def die_with_parent(parent_pid=None):
    """Be killed when the parent ends; at once, where `parent_pid` says that it already has."""
    done = _prctl is not None and _prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0) == 0
    if parent_pid is not None and LINUX and _getppid() != parent_pid:
        _kill(_getpid(), _SIGKILL)
    return done


def outlive_parent():
    """Take `die_with_parent` back: who sees the parent's end itself can take all processes below along."""
    return _prctl is not None and _prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0


def become_subreaper():
    """Inherit the orphans of everything started below this process."""
    return _prctl is not None and _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def kill_tree_with_me(memory_bytes=None, processes=None):
    """On Windows, end everything this process starts when it ends itself, and limit all of it together."""
    return _windows is not None and _windows.kill_tree_with_me(memory_bytes, processes)


def is_in_system_sandbox():
    """On macOS, whether the system's own sandbox is around this process."""
    if sys.platform != "darwin" or ctypes is None:
        return False
    try:
        return ctypes.CDLL(None).sandbox_check(_getpid(), None, 0) == 1
    except (OSError, AttributeError):
        return False


def raise_oom_score():
    """Be the first to go when the machine runs out of memory."""
    return _procfs.write_file("/proc/self/oom_score_adj", _OOM_FIRST)


def unread_bytes(fd):
    """How much of what was written to this pipe has not been read yet."""
    if fcntl is None:
        return None
    try:
        fcntl.ioctl(fd, FIONREAD, _unread, True)
    except OSError:
        return None
    return _unread[0]


def set_limits(cpu_seconds=None, memory_bytes=None, open_files=None):
    """Limit what this process may use from now on, beyond what it has; None leaves a limit alone."""
    if memory_bytes is not None:
        reserve[:] = [bytes(_RESERVE_BYTES)]
    return {
        "cpu": _limit("RLIMIT_CPU", cpu_seconds, lambda more: ceil(process_time() + more)),
        "memory": _limit("RLIMIT_DATA", memory_bytes, _data_limit),
        "files": _limit("RLIMIT_NOFILE", open_files, int),
    }


def cpu_limit_of_new_process(seconds):
    """The same limit for a process that has used nothing yet, to be set with `limit_cpu`."""
    return None if resource is None else (ceil(seconds), _getrlimit(_RLIMIT_CPU)[1])


def limit_cpu(limit):
    if limit is not None:
        _setrlimit(_RLIMIT_CPU, limit)


def seal_cpu_limit(limit=None):
    """For a process that serves no further call: ignoring the signal of the limit does not help past a second."""
    if resource is not None:
        soft, hard = limit or _getrlimit(resource.RLIMIT_CPU)
        if soft != resource.RLIM_INFINITY and (hard == resource.RLIM_INFINITY or soft + 1 < hard):
            _setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))


def lift_memory_limit():
    """Make room to report that memory ran out."""
    for name in ("RLIMIT_DATA", "RLIMIT_AS"):
        kind = getattr(resource, name, None)
        if kind is not None and LINUX:
            hard = _getrlimit(kind)[1]
            _setrlimit(kind, (hard, hard))


def most_open_files():
    """As many as the process could ever be allowed."""
    hard = _getrlimit(resource.RLIMIT_NOFILE)[1]
    return float("inf") if hard == resource.RLIM_INFINITY else hard


def seal(name, amount):
    """A limit that the process cannot raise again."""
    kind = getattr(resource, name)
    hard = _getrlimit(kind)[1]
    amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    _setrlimit(kind, (amount, amount))


def seal_memory(more):
    """As `set_limits` for memory, and for memory shared with other processes too, so that nobody can raise it again."""
    data, everything = _data_limit(more), _procfs.memory_bytes(EVERYTHING) + int(more) + _UNTOUCHED_BYTES
    for kind, soft in ((resource.RLIMIT_DATA, data), (resource.RLIMIT_AS, everything)):
        hard = _getrlimit(kind)[1]
        sealed = soft + _ROOM_TO_REPORT if hard == resource.RLIM_INFINITY else min(soft + _ROOM_TO_REPORT, hard)
        _setrlimit(kind, (min(soft, sealed), sealed))


def peak_memory():
    """The largest resident size of this process since it began or the peak was reset, in bytes."""
    if _windows is not None:
        return _windows.memory()[1]
    if LINUX and _getpid() == _pid_at_start:
        # A program started by a large process inherits that size as its maxrss; a forked one does not.
        peak = _procfs.status_bytes(b"VmHWM:")
        if peak:
            return peak
    if resource is None:
        return 0
    return _getrusage(_RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def reset_peak():
    """Forget the peak, so that the next one is of what comes now."""
    return _procfs.write_file("/proc/self/clear_refs", _RESET_PEAK_RSS)


def current_memory():
    """The resident size of this process, in bytes."""
    if _windows is not None:
        return _windows.memory()[0]
    return _procfs.memory_bytes(RESIDENT) or peak_memory()


def cpu_ms():
    """Processor time of this process and of the children it has waited for."""
    own = process_time()
    if resource is not None:
        children = _getrusage(_RUSAGE_CHILDREN)
        own += children.ru_utime + children.ru_stime
    return own * 1000


def usage():
    return cpu_ms(), peak_memory()


def children_of_me():
    """The process ids of this process's own children."""
    return _procfs.children()


def kill_strangers(known=frozenset()):
    """Kill and reap every child that is not known, and what they leave behind, until none remain. Says how many."""
    killed, beyond_reach = 0, set()
    while strangers := [pid for pid in children_of_me() if pid not in known and pid not in beyond_reach]:
        killed += len(strangers)
        beyond_reach.update(pid for pid in strangers if not _send_kill(pid))
        for pid in strangers:
            if pid not in beyond_reach:
                _reap(pid)
    return killed - len(beyond_reach)


def _send_kill(pid):
    try:
        _kill(pid, _SIGKILL)
    except PermissionError:
        return False
    except OSError:
        pass
    return True


def _reap(pid):
    try:
        _waitpid(pid, _WAIT_FOR_ANY_KIND if LINUX else 0)
    except OSError:
        pass


def empty_stdin_from(text):
    """Make standard input hold this text and then end; None: end at once."""
    source = _open(os.devnull, os.O_RDONLY) if text is None else _file_holding(text.encode("utf-8", "replace"))
    if source != 0:
        _dup2(source, 0)
        _close(source)


def _file_holding(data):
    try:
        fd = _memfd_create("stdin")
    except (OSError, TypeError):
        import tempfile

        with tempfile.TemporaryFile() as file:
            fd = _dup(file.fileno())
    view = memoryview(data)
    while view:
        view = view[_write(fd, view) :]
    _lseek(fd, 0, os.SEEK_SET)
    return fd


def _limit(name, amount, absolute):
    if amount is None or resource is None or (name == "RLIMIT_DATA" and not LINUX):
        return "none"
    try:
        kind = getattr(resource, name)
        hard = _getrlimit(kind)[1]
        wanted = absolute(amount)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        _setrlimit(kind, (wanted, hard))
    except (OSError, ValueError, TypeError):
        return "none"
    return "enforced"


def _data_limit(more):
    return _procfs.memory_bytes(DATA) + int(more)
