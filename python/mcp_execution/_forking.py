"""Forks of a process that has one thread, without what Python does in case there were more.

The hooks that `os.fork` runs in a child write to more memory than most calls do, and every page of that is copied.
"""

import os
import sys

try:
    import ctypes
except ImportError:
    ctypes = None

#: These put locks and lists of threads right, and with one thread there is nothing wrong about them; `_randomness` renews
#: random numbers.
_ONLY_FOR_THREADS = frozenset(("asyncio.events", "concurrent.futures.thread", "logging", "random", "threading"))

_os_fork, _strerror, _get_frame = getattr(os, "fork", None), os.strerror, sys._getframe


def _load_fork():
    if ctypes is None or sys.platform != "linux" or not _has_one_lock():
        return None
    try:
        fork = ctypes.PyDLL(None, use_errno=True).fork
    except (OSError, AttributeError):
        return None
    fork.argtypes, fork.restype = [], ctypes.c_int
    return fork


def _has_one_lock():
    return sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()


_plain_fork = _load_fork()


class Hooks:
    """What a script asks to be told of forks. Whoever asks for anything has the whole ceremony."""

    def __init__(self):
        self._are_asked_for = False
        self._register = getattr(os, "register_at_fork", None)

    def watch(self):
        if self._register is None:
            return self

        def register_at_fork(**hooks):
            if _get_frame(1).f_globals.get("__name__") not in _ONLY_FOR_THREADS:
                self._are_asked_for = True
            self._register(**hooks)

        os.register_at_fork = register_at_fork
        return self

    def settle(self):
        """The import is over. Gives the way to fork from now on."""
        if self._register is not None:
            os.register_at_fork = self._register
        return _os_fork if self._are_asked_for or _plain_fork is None else fork_plainly


def fork_plainly():
    pid = _plain_fork()
    if pid < 0:
        error = ctypes.get_errno()
        raise OSError(error, _strerror(error))
    return pid
