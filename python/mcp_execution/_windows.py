"""The few calls of Windows that the standard library lacks. Imported on Windows alone."""

import ctypes
from ctypes import wintypes

_KILL_ON_JOB_CLOSE, _ACTIVE_PROCESS, _JOB_MEMORY = 0x2000, 0x8, 0x200
_EXTENDED_LIMIT_INFORMATION = 9

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_jobs = []


class _BasicLimits(ctypes.Structure):
    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", wintypes.DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", wintypes.DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", wintypes.DWORD),
        ("SchedulingClass", wintypes.DWORD),
    ]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class _MemoryCounters(ctypes.Structure):
    _fields_ = [
        ("cb", wintypes.DWORD),
        ("PageFaultCount", wintypes.DWORD),
        ("PeakWorkingSetSize", ctypes.c_size_t),
        ("WorkingSetSize", ctypes.c_size_t),
        ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
        ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
        ("PagefileUsage", ctypes.c_size_t),
        ("PeakPagefileUsage", ctypes.c_size_t),
    ]


def _declare(name, result, *arguments):
    function = getattr(_kernel32, name)
    function.restype, function.argtypes = result, arguments
    return function


_create_job = _declare("CreateJobObjectW", wintypes.HANDLE, wintypes.LPVOID, wintypes.LPCWSTR)
_set_job = _declare(
    "SetInformationJobObject", wintypes.BOOL, wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD
)
_assign = _declare("AssignProcessToJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.HANDLE)
_current_process = _declare("GetCurrentProcess", wintypes.HANDLE)
_memory_info = _declare(
    "K32GetProcessMemoryInfo", wintypes.BOOL, wintypes.HANDLE, ctypes.POINTER(_MemoryCounters), wintypes.DWORD
)


def kill_tree_with_me(memory_bytes=None, processes=None):
    """Join a job that ends with its last handle, which this process holds until it is gone, and that limits all in it."""
    job = _create_job(None, None)
    if not job:
        return False
    limits = _ExtendedLimits()
    flags = _KILL_ON_JOB_CLOSE
    if memory_bytes is not None:
        flags |= _JOB_MEMORY
        limits.JobMemoryLimit = memory()[0] + memory_bytes
    if processes is not None:
        flags |= _ACTIVE_PROCESS
        limits.BasicLimitInformation.ActiveProcessLimit = processes
    limits.BasicLimitInformation.LimitFlags = flags
    if not _set_job(job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)):
        return False
    _jobs.append(job)
    return bool(_assign(job, _current_process()))


def memory():
    """The resident size and its peak, in bytes."""
    counters = _MemoryCounters(cb=ctypes.sizeof(_MemoryCounters))
    if not _memory_info(_current_process(), ctypes.byref(counters), counters.cb):
        return 0, 0
    return counters.WorkingSetSize, counters.PeakWorkingSetSize
