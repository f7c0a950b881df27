"""Whether a process that imported a script may fork: threads, descriptors and processes that a fork would break."""

import os
import stat
import sys
import threading
import time

from . import _procfs

_monotonic, _sleep = time.monotonic, time.sleep
_threads, _current_thread = threading.enumerate, threading.current_thread
_readlink, _fstat, _pread = getattr(os, "readlink", None), os.fstat, getattr(os, "pread", None)
_TASKS = "/proc/self/task"
_DESCRIPTORS = "/proc/self/fd"
_ENDING_THREAD_SECONDS = 0.05
_HARMLESS_THREADS = {"jemalloc_bg_thd"}
_HARMLESS_FILES = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
_KINDS = {
    "socket:": "a socket is open after import",
    "pipe:": "a pipe is open after import",
    "anon_inode:[eventpoll]": "an event loop is open after import",
    "anon_inode:inotify": "a file watch is open after import",
    "anon_inode:[io_uring]": "an io_uring is open after import",
    "anon_inode:": "a kernel object is open after import",
    "/memfd:": "shared memory is open after import",
    "/dev/shm/": "shared memory is open after import",
}
_SQLITE_HEADER = b"SQLite format 3\0"


def _always(_module):
    return True


def _cuda_is_initialised(torch):
    return torch.cuda.is_initialized()


def _has_patched(monkey):
    return bool(getattr(monkey, "saved", None) or getattr(monkey, "already_patched", None))


_HOSTILE_MODULES = {
    "grpc": (_always, "grpc does not survive a fork"),
    "tensorflow": (_always, "tensorflow does not survive a fork"),
    "jax": (_always, "jax runs threads that do not survive a fork"),
    "ray": (_always, "ray keeps connections that do not survive a fork"),
    "cupy": (_always, "cupy holds the GPU, which a fork cannot share"),
    "pycuda.driver": (_always, "pycuda holds the GPU, which a fork cannot share"),
    "pyopencl": (_always, "pyopencl holds the GPU, which a fork cannot share"),
    "torch": (_cuda_is_initialised, "torch holds the GPU, which a fork cannot share"),
    "gevent.monkey": (_has_patched, "gevent has replaced parts of the standard library"),
    "eventlet.patcher": (_has_patched, "eventlet has replaced parts of the standard library"),
}


class Snapshot:
    """How the process stands before an import."""

    def __init__(self):
        self.tasks = frozenset(_procfs.list_folder(_TASKS))
        self.descriptors = _descriptors()
        self.children = frozenset(_procfs.children())
        self.modules = frozenset(name for name in _HOSTILE_MODULES if name in sys.modules)

    def inherited(self):
        """Descriptors that the import left open, which every child finds open too."""
        return frozenset(fd for fd in _descriptors() if fd not in self.descriptors)


def reason_not_to_fork(snapshot):
    """A sentence on what the import left that a fork would break, or None."""
    if sys.platform != "linux":
        return "this system does not fork safely"
    reasons = (_thread_reason, _child_reason, _module_reason, _descriptor_reason, _memory_reason)
    return next(filter(None, (reason(snapshot) for reason in reasons)), None)


def _thread_reason(snapshot):
    deadline = _monotonic() + _ENDING_THREAD_SECONDS
    while names := _new_threads(snapshot):
        python_threads = [thread for thread in _threads() if thread is not _current_thread()]
        if python_threads:
            return f"thread {python_threads[0].name!r} is alive after import"
        if _monotonic() > deadline:
            return f"native thread {names[0]!r} is alive after import"
        _sleep(0.001)
    return None


def _new_threads(snapshot):
    names = []
    for task in _procfs.list_folder(_TASKS):
        if task not in snapshot.tasks:
            name = _procfs.read_file(f"{_TASKS}/{task}/comm")
            if name is not None:
                names.append(name.decode("utf-8", "replace").strip())
    return [name for name in names if name not in _HARMLESS_THREADS]


def _child_reason(snapshot):
    started = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    names = {child.pid: child.name for child in list(started)}
    for pid in _procfs.children():
        status = _procfs.read_file(f"/proc/{pid}/stat")
        if pid in snapshot.children or not status:
            continue
        state = status.rpartition(b")")[2].split()[0]
        if state not in b"ZX":
            name = names.get(pid) or status.partition(b"(")[2].rpartition(b")")[0].decode("utf-8", "replace")
            return f"process {name!r} is alive after import"
    return None


def _module_reason(snapshot):
    for name, (applies, reason) in _HOSTILE_MODULES.items():
        module = sys.modules.get(name)
        if module is not None and name not in snapshot.modules:
            try:
                if applies(module):
                    return reason
            except Exception:  # noqa: BLE001 - a module only half there has nothing to break
                pass
    return None


def _descriptor_reason(snapshot):
    new = [(fd, target) for fd, target in _descriptors().items() if snapshot.descriptors.get(fd) != target]
    new = [(fd, target) for fd, target in new if target not in _HARMLESS_FILES]
    new.sort(key=lambda item: "eventpoll" not in item[1])
    return _describe(*new[0]) if new else None


def _memory_reason(_snapshot):
    """Memory that all children would write to: what one call leaves there, the next one finds."""
    for line in (_procfs.read_file("/proc/self/maps") or b"").splitlines():
        permissions = line.split(None, 2)[1]
        if permissions[1:2] == b"w" and permissions[3:4] == b"s":
            return "memory is shared with other processes after import"
    return None


def _descriptors():
    found = {}
    for fd in _procfs.list_folder(_DESCRIPTORS):
        try:
            found[fd] = _readlink(f"{_DESCRIPTORS}/{fd}")
        except OSError:
            pass
    return found


def _describe(fd, target):
    for start, reason in _KINDS.items():
        if target.startswith(start):
            return reason
    name = os.path.basename(target.removesuffix(" (deleted)")) or target
    kind = "the SQLite database " if _is_sqlite(fd, target) else ""
    return f"{kind}{name} is open after import"


def _is_sqlite(fd, target):
    try:
        if not stat.S_ISREG(_fstat(int(fd)).st_mode):
            return False
        header = _pread(int(fd), len(_SQLITE_HEADER), 0)
    except OSError:
        return False
    return header == _SQLITE_HEADER or ("sqlite3" in sys.modules and target.endswith((".db", ".sqlite", ".sqlite3")))
