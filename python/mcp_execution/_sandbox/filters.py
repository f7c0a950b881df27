"""Which system calls a strict script may make, as seccomp filters.

A call that is not named here is refused: with EPERM where it is known, with ENOSYS where it is newer than our table, because
programs take that for an older kernel and go another way.
"""

import ctypes
import errno
from functools import lru_cache
from struct import pack

from .bpf import ALLOW, ARCHITECTURE, KILL, NUMBER, argument, assemble, either, fail_with, load, masked, one_of, search
from .syscalls import numbers

INSTRUCTION_BYTES = 8

_REFUSE = fail_with(errno.EPERM)
_UNKNOWN = fail_with(errno.ENOSYS)
_PRETEND = fail_with(0)
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_SET_MODE_FILTER, _GET_ACTION_AVAIL = 1, 2


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


@lru_cache(maxsize=None)
def zygote_filter(machine, *, net, run, own_root, truncate_covered):
    """The program for the process that imports a script and forks the processes of its calls, which inherit it.

    They inherit too what was prepared of `child_filter`, so that only their process ids are put in.
    """
    known = numbers(machine)
    allowed = {
        **dict.fromkeys(_ORDINARY.split(), ALLOW),
        **dict.fromkeys(_PRETENDED_ABSENT.split(), _UNKNOWN),
        **_BY_ARGUMENTS,
        **dict.fromkeys(_PROGRAMS.split() if run else (), ALLOW),
        **dict.fromkeys(_ATTRIBUTES.split() if own_root else (), ALLOW),
        **dict.fromkeys(_MODES_AND_TIMES.split(), ALLOW if own_root else _PRETEND),
        **dict.fromkeys(_CONNECTIONS.split() if net else (), ALLOW),
    }
    if net:
        allowed.update(socket=_INTERNET_SOCKET, ioctl=_ioctl(net=True))
    if own_root or truncate_covered:
        allowed["truncate"] = ALLOW
    for restrict_signals in (False, True):
        _child_program(machine, run, restrict_signals)
    decision = search({number: allowed.get(name, _REFUSE) for name, number in known.items()}, _UNKNOWN)
    if machine == "x86_64":
        decision = either("any bit of", _X32, KILL, decision)
    return assemble(load(ARCHITECTURE, either("equal", _ARCHITECTURES[machine], load(NUMBER, decision), KILL)))


def child_filter(machine, *, pid, run, restrict_signals):
    """The program for the process of one call, on top of the zygote's; empty where there is nothing more to refuse.

    With `restrict_signals` it can signal itself and the group it leads; what it starts can signal nothing else either.
    """
    program = _child_program(machine, run, restrict_signals)
    return program.replace(_ANY_PID, pack("<i", pid)).replace(_ANY_GROUP, pack("<i", -pid))


def install(program):
    """Let the calling thread and all it starts obey this program for ever. They have given up new privileges before."""
    from . import kernel

    if program:
        filter_ = _Filter(len(program) // INSTRUCTION_BYTES, program)
        kernel.call("seccomp", _SET_MODE_FILTER, 0, ctypes.byref(filter_))


#: Stand where the process id goes. No other part of a program has these bytes.
_ANY_PID, _ANY_GROUP = b"\xf1\xf2\xf3\xf4", b"\xf5\xf6\xf7\xf8"


@lru_cache(maxsize=None)
def _child_program(machine, run, restrict_signals):
    known = numbers(machine)
    decisions = {}
    if not run:
        decisions.update(dict.fromkeys(_ONE_PROCESS.split(), _REFUSE), clone=_ONLY_THREADS)
    if restrict_signals:
        decisions.update(_SIGNALS_TO_SELF)
    if not decisions:
        return b""
    return assemble(load(NUMBER, search({known[name]: decisions[name] for name in decisions if name in known}, ALLOW)))


def _only(index, values, then=ALLOW):
    """Arguments that the kernel takes as an int: process ids, commands, kinds. It does not see their high half."""
    return argument(index, one_of(values, then, _REFUSE))


def _never(index, values):
    return argument(index, one_of(values, _REFUSE, ALLOW))


def _kind(index, mask, values, then=ALLOW):
    return argument(index, masked(mask, one_of(values, then, _REFUSE)))


def _null(index):
    """A pointer: both halves count."""
    return argument(index, either("equal", 0, argument(index, either("equal", 0, ALLOW, _REFUSE), "high"), _REFUSE))


_ORDINARY = """
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3 pipe pipe2
open openat openat2 creat access faccessat faccessat2 stat fstat lstat newfstatat statx statfs fstatfs readlink readlinkat
getdents getdents64 getcwd chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink
symlinkat umask ftruncate fallocate fadvise64 readahead flock fsync fdatasync sync syncfs sync_file_range cachestat
copy_file_range sendfile splice tee vmsplice getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr
listxattrat file_getattr inotify_init inotify_init1 inotify_rm_watch

mmap munmap mremap mprotect msync mincore madvise brk mlock mlock2 munlock mlockall munlockall mseal map_shadow_stack
remap_file_pages pkey_alloc pkey_free pkey_mprotect membarrier mbind get_mempolicy set_mempolicy set_mempolicy_home_node

poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime

futex futex_waitv futex_wait futex_wake futex_requeue set_robust_list rseq set_tid_address arch_prctl restart_syscall
fork vfork exit exit_group wait4 waitid setsid setpgid getpgid getpgrp getsid

kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait
rt_sigsuspend sigaltstack pause alarm getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun
timer_delete nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times

getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups capget getcpu getrandom uname sysinfo
getrusage getrlimit setrlimit getpriority ioprio_get sched_yield sched_getaffinity sched_getattr sched_getparam
sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval

sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown getsockname getpeername getsockopt 

landlock_create_ruleset landlock_add_rule landlock_restrict_self
"""

#: Programs that meet these missing have another way: `clone`, whose flags a filter can see, and plain reading and writing.
_PRETENDED_ABSENT = "clone3 io_uring_setup io_uring_enter io_uring_register"

_PROGRAMS = "execve execveat"
_CONNECTIONS = "connect bind listen accept accept4 sendto"
#: Landlock does not cover these; where everything outside is mounted read-only, nothing needs to.
#: Where the host's files would be within reach of these, they do nothing and say that they did: copying a file, or
#: unpacking an archive, would fail otherwise.
_MODES_AND_TIMES = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat"
_ATTRIBUTES = """
chown fchown lchown fchownat inotify_add_watch file_setattr
setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
"""

_NEW_NAMESPACES = 0x7E020080
_PARENT = 0x8000
_THREAD = 0x10000

_UNIX, _INET, _INET6 = 1, 2, 10
_STREAM, _DATAGRAM = 1, 2
_SOCKET_KIND = 0xF
_DEFAULT, _TCP, _UDP = 0, 6, 17
#: TCP over several paths, for one, is a protocol that neither Landlock nor a firewall's rule for TCP sees.
_INTERNET_SOCKET = _only(0, (_INET, _INET6), _kind(1, _SOCKET_KIND, (_STREAM, _DATAGRAM), _only(2, (_DEFAULT, _TCP, _UDP))))
#: A pair of datagram sockets could send to any path.
_STREAM_PAIR = _only(0, (_UNIX,), _kind(1, _SOCKET_KIND, (_STREAM,)))

_SELF = _only(0, (0,))
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_PERSONALITY_QUERY = 0xFFFFFFFF

_FILE_KIND = 0xF000
_NO_DEVICE = 0, 0x1000, 0x8000, 0xC000

_PRCTL = {
    "GET_PDEATHSIG": 2,
    "GET_DUMPABLE": 3,
    "SET_DUMPABLE": 4,
    "SET_NAME": 15,
    "GET_NAME": 16,
    "GET_SECCOMP": 21,
    "CAPBSET_READ": 23,
    "SET_TIMERSLACK": 29,
    "GET_TIMERSLACK": 30,
    "GET_CHILD_SUBREAPER": 37,
    "SET_NO_NEW_PRIVS": 38,
    "GET_NO_NEW_PRIVS": 39,
    "GET_TID_ADDRESS": 40,
    "SET_THP_DISABLE": 41,
    "GET_THP_DISABLE": 42,
    "SET_VMA": 0x53564D41,
}

_SOL_SOCKET = 1
_SO_SNDBUF, _SO_RCVBUF, _SO_SNDBUFFORCE, _SO_RCVBUFFORCE = 7, 8, 32, 33

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36
_SIGKILL = 9

_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15
_F_SETLEASE, _F_NOTIFY, _F_SETPIPE_SZ, _F_SETDELEG = 1024, 1026, 1031, 1040

_TIOCSTI, _TIOCLINUX, _TIOCSETD, _FIOSETOWN, _SIOCSPGRP = 0x5412, 0x541C, 0x5423, 0x8901, 0x8902
_FS_IOC_GETFLAGS, _FS_IOC_FIEMAP, _FS_IOC_FSGETXATTR, _FS_IOC_GETVERSION = 0x80086601, 0xC020660B, 0x801C581F, 0x80087601
_FICLONE, _FICLONERANGE, _FIDEDUPERANGE = 0x40049409, 0x4020940D, 0xC0189436
_IOCTL_FAMILY, _SOCKET_FAMILY = 0xFF00, 0x8900
#: Commands to a file system change a file that is open for reading, unseen by Landlock: flags, sealing, snapshots.
_HARMLESS_TO_FILE_SYSTEMS = {
    0x5800: (_FS_IOC_FSGETXATTR,),
    0x6600: (_FS_IOC_GETFLAGS, _FS_IOC_FIEMAP),
    0x7600: (_FS_IOC_GETVERSION,),
    0x9400: (_FICLONE, _FICLONERANGE, _FIDEDUPERANGE),
    0xBC00: (),
    0xF500: (),
}


def _prctl():
    """To die with the parent, and to take over orphans, can be asked for and not taken back."""
    binding = either("equal", _SET_PDEATHSIG, _only(1, (_SIGKILL,)), either("equal", _SET_CHILD_SUBREAPER, _only(1, (1,)), _REFUSE))
    return one_of(_PRCTL.values(), ALLOW, binding)


def _buffers():
    """Larger buffers of sockets would be memory that nobody counts; the kernel finds their sizes itself."""
    return one_of((_SO_SNDBUF, _SO_RCVBUF), _PRETEND, one_of((_SO_SNDBUFFORCE, _SO_RCVBUFFORCE), _REFUSE, ALLOW))


def _ioctl(net):
    """Commands to sockets tell the addresses of the machine."""
    decision = ALLOW if net else either("equal", _SOCKET_FAMILY, _REFUSE, ALLOW)
    for family, harmless in _HARMLESS_TO_FILE_SYSTEMS.items():
        decision = either("equal", family, _only(1, harmless), decision)
    by_family = masked(_IOCTL_FAMILY, decision)
    return argument(1, one_of((_TIOCSTI, _TIOCLINUX, _TIOCSETD, _FIOSETOWN, _SIOCSPGRP), _REFUSE, by_family))


_BY_ARGUMENTS = {
    "clone": argument(0, either("any bit of", _NEW_NAMESPACES | _PARENT, _REFUSE, ALLOW)),
    "socketpair": _STREAM_PAIR,
    "sendto": _null(4),
    "prctl": argument(0, _prctl()),
    "fcntl": _never(1, (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_SETLEASE, _F_NOTIFY, _F_SETPIPE_SZ, _F_SETDELEG)),
    "ioctl": _ioctl(net=False),
    "setsockopt": argument(1, either("equal", _SOL_SOCKET, argument(2, _buffers()), ALLOW)),
    "seccomp": argument(0, either("equal", _GET_ACTION_AVAIL, ALLOW, one_of((_SET_MODE_FILTER,), _only(1, (0,)), _REFUSE))),
    "personality": _only(0, (_PERSONALITY_QUERY,)),
    "mknod": _kind(1, _FILE_KIND, _NO_DEVICE),
    "mknodat": _kind(2, _FILE_KIND, _NO_DEVICE),
    "setpriority": _only(0, (_PRIO_PROCESS,), _only(1, (0,))),
    "ioprio_set": _only(0, (_IOPRIO_WHO_PROCESS,), _only(1, (0,))),
    **dict.fromkeys(
        "prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr "
        "migrate_pages move_pages get_robust_list".split(),
        _SELF,
    ),
}

_ONE_PROCESS = "fork vfork setsid setpgid seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
_ONLY_THREADS = argument(0, either("any bit of", _THREAD, ALLOW, _REFUSE))
_OWN_PID, _OWN_GROUP = (int.from_bytes(stand_in, "little") for stand_in in (_ANY_PID, _ANY_GROUP))
_TO_SELF = _only(0, (_OWN_PID,))
_TO_SELF_OR_GROUP = _only(0, (_OWN_PID, 0, _OWN_GROUP))
_SIGNALS_TO_SELF = {
    "kill": _TO_SELF_OR_GROUP,
    "rt_sigqueueinfo": _TO_SELF_OR_GROUP,
    "tkill": _TO_SELF,
    "tgkill": _TO_SELF,
    "rt_tgsigqueueinfo": _TO_SELF,
}
