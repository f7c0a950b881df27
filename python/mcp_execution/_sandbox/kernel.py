"""System calls that the standard library lacks, by ctypes. A refusal is an OSError."""

import ctypes
import errno
import os
import sys

from .syscalls import numbers

_libc = ctypes.CDLL(None, use_errno=True)
#: Keeps the interpreter's lock, as a process that is about to fork must.
_locked_libc = ctypes.PyDLL(None, use_errno=True)
_syscall, _locked_syscall = _libc.syscall, _locked_libc.syscall
_syscall.restype = _locked_syscall.restype = ctypes.c_long

_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

MACHINE = os.uname().machine
try:
    NUMBERS = numbers(MACHINE)
except LookupError:
    NUMBERS = {}

_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_GET_ACTION_AVAIL, _KILL_PROCESS = 2, 0x80000000
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63


def call(name, *arguments):
    """Make a system call by name with integers, bytes or ctypes pointers."""
    number = NUMBERS.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: not known on {MACHINE}")
    result = _syscall(number, *map(_argument, arguments))
    if result < 0:
        raise failure(name)
    return result


def clone(flags):
    """`os.fork()` with flags: the new process is the first of its namespaces."""
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = _locked_syscall(NUMBERS.get("clone", -1), ctypes.c_long(flags), *[ctypes.c_long(0)] * 4)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0
    error = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid


def mount(source, target, kind=None, flags=0, options=None):
    call("mount", _text(source), _text(target), _text(kind), flags, _text(options))


def can_filter():
    """Whether this kernel takes seccomp filters with the verdicts that we use, from an interpreter of its own width."""
    if sys.maxsize <= 1 << 32:
        return False
    action = ctypes.c_uint32(_KILL_PROCESS)
    try:
        return call("seccomp", _GET_ACTION_AVAIL, 0, ctypes.byref(action)) == 0
    except OSError:
        return False


def no_new_privileges():
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_capabilities(runs_programs):
    """Hold none, and be able to gain none by running a program, which `no_new_privileges` sees to as well."""
    for capability in range(_LAST_CAPABILITY + 1 if runs_programs else 0):
        if _prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    call("capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def failure(name):
    error = ctypes.get_errno()
    return OSError(error, f"{name}: {os.strerror(error)}")


def _argument(value):
    return ctypes.c_long(value) if isinstance(value, int) else value


def _text(value):
    return os.fsencode(value) if isinstance(value, str) else value
