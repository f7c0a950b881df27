"""Landlock: which files a process and all it starts may read and change, whom it may signal."""

import ctypes
import os
import stat

from . import kernel

#: The rights that each version of the kernel's interface brought.
_RIGHTS = (
    (1, "execute write_file read_file read_dir remove_dir remove_file make_char make_dir make_reg make_sock make_fifo make_block make_sym"),
    (2, "refer"),
    (3, "truncate"),
    (5, "ioctl_dev"),
)
_NAMES = [(version, name) for version, names in _RIGHTS for name in names.split()]
RIGHT = {name: 1 << bit for bit, (_, name) in enumerate(_NAMES)}

_VERSION = 1
_PATH_BENEATH = 1
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2
SCOPES_FROM = 6
TRUNCATE_FROM = 3

READ = RIGHT["execute"] | RIGHT["read_file"] | RIGHT["read_dir"]
WRITE = sum(RIGHT.values()) & ~READ & ~RIGHT["make_char"] & ~RIGHT["make_block"] & ~RIGHT["ioctl_dev"]
_OF_FILES = RIGHT["execute"] | RIGHT["read_file"] | RIGHT["write_file"] | RIGHT["truncate"] | RIGHT["ioctl_dev"]


class _RulesetAttributes(ctypes.Structure):
    _fields_ = [("handled_fs", ctypes.c_uint64), ("handled_net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def version():
    """The version of the kernel's interface; 0 where there is none."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, _VERSION)
    except OSError:
        return 0


def rights_of(abi):
    return sum(RIGHT[name] for since, name in _NAMES if since <= abi)


class Rules:
    """An allow-list in the making. What is not allowed when it is enforced is refused from then on."""

    def __init__(self, abi, scope_signals=True):
        self._rights = rights_of(abi)
        scopes = _SCOPE_ABSTRACT_SOCKETS | (_SCOPE_SIGNALS if scope_signals else 0)
        attributes = _RulesetAttributes(self._rights, 0, scopes if abi >= SCOPES_FROM else 0)
        size = ctypes.sizeof(attributes) if abi >= SCOPES_FROM else 8
        self.fd = kernel.call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)

    def allow(self, fd, rights):
        """Allow these rights beneath an open folder, or on an open file."""
        kernel.call("landlock_add_rule", self.fd, _PATH_BENEATH, ctypes.byref(_PathBeneath(rights & self._rights, fd)), 0)


def open_place(path, rights):
    """What `allow` takes, prepared once for many rules; None where there is nothing to allow."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
    return fd, rights if is_folder else rights & _OF_FILES


def enforce(rules_fd):
    """From now on and for good, on this thread and what it starts. `no_new_privileges` has to come first."""
    kernel.call("landlock_restrict_self", rules_fd, 0)
