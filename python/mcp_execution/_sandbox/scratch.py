"""Scratch folders: one for each call under way, private to it, and empty again before the next call gets it."""

import errno
import fcntl
import math
import os
import tempfile
import time

from .._channel import SCRATCH_FD
from . import kernel

#: The path that leads every process to its own scratch folder.
OWN = f"/proc/self/fd/{SCRATCH_FD}"
#: Descriptors of the process that forks; a child lets go of all of them at once.
FIRST_KEPT_FD, ROOM_FOR_KEPT = 400, 1000
_IN_OWN_ROOT = "/run/scratch", "/scratch", "/.scratch", "/.mcp-execution-scratch"
#: The key of the folder of the process that imports.
IMPORT = "import"
#: Where folders are made beyond those that have a file system of their own.
MORE = "more"

_MS_NOSUID, _MS_NODEV = 2, 4
_PREFIX = "mcp-execution-scratch-"
_BYTES_PER_FILE = 8192
_FEWEST_FILES = 256
_BYTES_OF_ENTRY = 256
_MAX_LINKS = 256
_NEW_SECONDS = 60
_MODE = 0o700
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_DATA = (".py", ".pyc", ".pyo", "__pycache__")


class HostRoot:
    """A folder on the host, where a sandbox has no root of its own. Only its user can look inside; its owner holds a lock."""

    def __init__(self):
        remove_abandoned()
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self._lock = _lock(self.path)

    def let_go(self):
        """By a process that does not own it and came to hold the lock by being forked."""
        os.close(self._lock)

    def remove(self):
        remove(self.path)
        os.close(self._lock)


def remove_abandoned():
    """What a host that was killed could not remove itself. A folder that is new may just not be locked yet."""
    folder = tempfile.gettempdir()
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(_PREFIX) and _age(path) > _NEW_SECONDS:
            lock = _lock(path)
            if lock is not None:
                remove(path)
                os.close(lock)


def _age(path):
    try:
        return time.time() - os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return 0


def _lock(path):
    """None where another one holds it, or the folder is another user's."""
    try:
        fd = os.open(path, _FOLDER)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def remove(root):
    """What cannot be removed, as by another host doing the same, is left."""
    try:
        fd = os.open(root, _FOLDER)
        try:
            empty(fd)
        finally:
            os.close(fd)
        os.rmdir(root)
    except OSError:
        pass


def root_in_own_root(places):
    """A path that is nowhere near what is seen of the host."""
    return next(path for path in _IN_OWN_ROOT if places.are_away_from(path))


def mount(path, size):
    """A file system of its own, whose size is a limit that holds."""
    files = max(_FEWEST_FILES, size // _BYTES_PER_FILE) + _MAX_LINKS
    kernel.mount("tmpfs", path, "tmpfs", _MS_NOSUID | _MS_NODEV, f"mode=0700,size={size},nr_inodes={files}")


class Slots:
    """The scratch folders of one process that forks. Each is furnished when it is first needed."""

    def __init__(self, root, count, data_folder=None, has_attributes=True):
        self._root = root
        self._has_attributes = has_attributes
        self._links = _links_to(data_folder) if data_folder else {}
        self._free = [str(number) for number in range(count)]
        self._more = 0
        self._made = {}
        self._taken = {}

    def take(self, key):
        """The folder that has been unused for longest; beyond those that were planned, one among `more`."""
        name = self._free.pop(0) if self._free else self._one_more()
        slot = self._made.get(name)
        if slot is None:
            slot = self._made[name] = Slot(os.path.join(self._root, name), self._links, self._has_attributes)
        self._taken[key] = name
        return slot

    def give_back(self, key):
        name = self._taken.pop(key, None)
        if name is not None:
            self._made[name].clean()
            self._free.append(name)

    def sizes(self):
        """What the folders in use hold, in bytes."""
        return {key: folder_bytes(self._made[name].path) for key, name in self._taken.items()}

    def _one_more(self):
        self._more += 1
        return f"{MORE}/{self._more}"


class Slot:
    def __init__(self, path, links, has_attributes):
        self.path = path
        self.rules = None
        self._links = links
        self._names = frozenset(links)
        self._has_attributes = has_attributes
        try:
            fd = os.open(path, _FOLDER)
        except FileNotFoundError:
            os.makedirs(path, mode=_MODE)
            fd = os.open(path, _FOLDER)
        self.fd = keep(fd)
        self._furnish()

    def clean(self):
        """Remove what a call left. Most leave nothing."""
        if self._has_attributes:
            self._reset_attributes()
        if not self._is_clean():
            empty(self.fd)
            self._furnish()

    def _reset_attributes(self):
        """Where calls can change them: the folder itself must tell the next one nothing."""
        if os.fstat(self.fd).st_mode & 0o7777 != _MODE:
            os.fchmod(self.fd, _MODE)
        for name in os.listxattr(self.fd):
            if name.startswith("user."):
                os.removexattr(self.fd, name)
        os.utime(self.fd, ns=(0, 0))

    def _furnish(self):
        """As far as there is room for links."""
        try:
            for name, target in self._links.items():
                os.symlink(target, name, dir_fd=self.fd)
        except OSError:
            names = os.listdir(self.fd)
            self._links = {name: target for name, target in self._links.items() if name in names}
            self._names = frozenset(self._links)

    def _is_clean(self):
        with os.scandir(self.fd) as entries:
            names = [entry.name for entry in entries if entry.is_symlink() or entry.name not in self._names]
        if len(names) != len(self._names) or not self._names.issuperset(names):
            return False
        return all(os.readlink(name, dir_fd=self.fd) == target for name, target in self._links.items())


def keep(fd):
    """The same open file among the descriptors that children let go of."""
    kept = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FIRST_KEPT_FD)
    os.close(fd)
    return kept


def empty(fd):
    """Remove everything in an open folder, however deep: folders are brought up before they are emptied."""
    while entries := _entries(fd):
        for name, is_folder in entries:
            if is_folder:
                _bring_up_folders(name, fd)
                os.rmdir(name, dir_fd=fd)
            else:
                os.unlink(name, dir_fd=fd)


def _bring_up_folders(name, fd):
    """Leave a folder empty, with the folders in it beside it."""
    inner = _open_folder(name, fd)
    if inner is None:
        return
    try:
        for inner_name, is_folder in _entries(inner):
            if is_folder:
                _bring_up(inner_name, inner, fd)
            else:
                os.unlink(inner_name, dir_fd=inner)
    finally:
        os.close(inner)


def _bring_up(name, inner, fd):
    """A folder that cannot be written to cannot be moved. Where its mode cannot be changed either, nobody ever put anything in."""
    os.chmod(name, _MODE, dir_fd=inner)
    try:
        os.rename(name, f".{os.urandom(8).hex()}", src_dir_fd=inner, dst_dir_fd=fd)
    except PermissionError:
        os.rmdir(name, dir_fd=inner)


def folder_bytes(path):
    """What is stored beneath a folder; more than anything where a path is longer than the kernel takes."""
    total, pending = 0, [path]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    total += _BYTES_OF_ENTRY + entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return math.inf
    return total


def _entries(fd):
    with os.scandir(fd) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


def _open_folder(name, fd):
    """Open, and its entries ours to remove; None for a folder that cannot even be made so: it can be removed if it is empty."""
    try:
        inner = os.open(name, _FOLDER, dir_fd=fd)
    except PermissionError:
        try:
            os.chmod(name, _MODE, dir_fd=fd)
            return os.open(name, _FOLDER, dir_fd=fd)
        except OSError:
            return None
    os.fchmod(inner, _MODE)
    return inner


def _links_to(folder):
    """A script that opens its data by a relative name finds them from the scratch folder too."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.endswith(_NOT_DATA))
    except OSError:
        return {}
    return {name: os.path.join(folder, name) for name in names[:_MAX_LINKS]}
