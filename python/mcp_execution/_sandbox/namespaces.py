"""Namespaces of one's own: users, processes, mounts, and network where none is allowed."""

import ctypes
import errno
import os
import signal

from . import kernel, scratch
from .places import Places

_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE, _ONLY_THIS = -100, 0x8000, 0
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2
_OLD_ROOT = "/.old-root"
_DEVICES = ("null", "zero", "random", "urandom")
_LINKS = (("/dev/fd", "/proc/self/fd"),) + tuple((f"/dev/std{name}", f"/proc/self/fd/{fd}") for fd, name in enumerate(("in", "out", "err")))
_TRIAL_SCRATCH = "/run/scratch"
#: The kernel gives the first 300 numbers of a namespace only once, and never again after a larger one.
_RESERVED_PIDS = 301
_PID_MAX_OF_NAMESPACE_SINCE = (6, 14)


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


def flags(net):
    return _NEWUSER | _NEWPID | _NEWNS | (0 if net else _NEWNET)


def start(net):
    """Like `os.fork()`; the child is process 1, with the right to make its `Surroundings`."""
    return kernel.clone(flags(net) | signal.SIGCHLD)


class Surroundings:
    """What a process in new namespaces sees, made by itself in two steps, the first of which needs to know no script."""

    def __init__(self):
        self.are_bounded = False
        self._root = None

    def begin(self, identity, places, max_processes):
        """See these places, and yet those of the host; everything, where all places may be seen."""
        _keep_identity(*identity)
        kernel.mount(None, "/", None, _MS_REC | _MS_PRIVATE)
        if places.are_everything:
            _mount_proc()
        else:
            self._root = _NewRoot()
            self._root.bring_all(places)
            self._root.folder("/proc")
            _mount_proc()
            for name in _DEVICES:
                self._root.bring(f"/dev/{name}", is_folder=False)
        self.are_bounded = _bound_processes(max_processes)
        return self

    def finish(self, places, scratch_root, slots, slot_bytes):
        """See these places too, and nothing else any more."""
        if self._root is not None:
            self._root.bring_all(places)
            for link, target in (*_LINKS, ("/dev/shm", scratch.OWN), ("/tmp", scratch.OWN)):
                self._root.link_if_free(link, target)
            self._root.leave_the_old()
        folders = {f"{scratch_root}/{slot}": slot_bytes for slot in range(slots)}
        folders[f"{scratch_root}/{scratch.MORE}"] = slot_bytes
        os.makedirs(scratch_root, exist_ok=True)
        for folder in folders:
            os.mkdir(folder)
        _protect(places)
        for folder, size in folders.items():
            scratch.mount(folder, size)


def why_not(net=False):
    """None where all of this works, else the step that failed; found by trying, in a process that ends at once."""
    read, write = os.pipe()
    identity = os.getuid(), os.getgid()
    try:
        pid = start(net)
    except OSError as error:
        os.close(read)
        os.close(write)
        return f"new namespaces are refused ({error.strerror})"
    if pid == 0:
        try:
            nothing = Places(read=(), write=())
            Surroundings().begin(identity, nothing, max_processes=64).finish(nothing, _TRIAL_SCRATCH, slots=1, slot_bytes=1 << 20)
            os.write(write, b"fine")
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
            os.write(write, f"they cannot be furnished ({error})".encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answers:
        answer = answers.read().decode("utf-8", "replace")
    os.waitpid(pid, 0)
    return None if answer == "fine" else answer or "the first process of new namespaces died"


def _keep_identity(uid, gid):
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


class _NewRoot:
    """An empty root in the host's place, to which places of the host are brought, to where they stood there."""

    def __init__(self):
        base = os.path.dirname(os.path.abspath(__file__))
        kernel.mount("tmpfs", base, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=8m")
        os.chdir(base)
        os.mkdir(_OLD_ROOT[1:])
        kernel.call("pivot_root", b".", os.fsencode(_OLD_ROOT[1:]))
        os.chdir("/")
        self._made = {"/"}
        self._brought = set()

    def bring_all(self, places):
        """But for those that were brought before."""
        for link, target in places.links:
            if link not in self._brought:
                self._brought.add(link)
                self.link(link, target)
        for path in places.visible:
            if path not in self._brought:
                self._brought.add(path)
                self.bring(path, path in places.folders)

    def leave_the_old(self):
        kernel.call("umount2", os.fsencode(_OLD_ROOT), _MNT_DETACH)
        os.rmdir(_OLD_ROOT)

    def folder(self, path):
        if path not in self._made:
            self.folder(os.path.dirname(path))
            self._made.add(path)
            try:
                os.mkdir(path)
            except FileExistsError:
                pass

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        os.symlink(target, path)

    def link_if_free(self, path, target):
        if not os.path.lexists(path):
            self.link(path, target)

    def bring(self, path, is_folder):
        if is_folder:
            self.folder(path)
        else:
            self.folder(os.path.dirname(path))
            _make_file(path)
        kernel.mount(_OLD_ROOT + path, path, None, _MS_BIND | _MS_REC)


def _mount_proc():
    """The kernel permits this only while the old one is in sight. Processes see those that they could trace, if it can."""
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    try:
        kernel.mount("proc", "/proc", "proc", flags, "hidepid=ptraceable")
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        kernel.mount("proc", "/proc", "proc", flags)


def _bound_processes(max_processes):
    """Newer kernels count the processes of a namespace, whoever owns them. In older ones this is the whole machine's."""
    if _kernel_version() < _PID_MAX_OF_NAMESPACE_SINCE:
        return False
    try:
        _write("/proc/sys/kernel/pid_max", str(_RESERVED_PIDS + max_processes))
        _write("/proc/sys/kernel/ns_last_pid", str(_RESERVED_PIDS))
    except OSError:
        return False
    return True


def _kernel_version():
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(filter(str.isdigit, minor[:3])))


def _protect(places):
    """Nothing can be changed, not even times and owners of files, but what the script was allowed to write."""
    if places.are_all_writable:
        return
    for path in places.writable:
        kernel.mount(path, path, None, _MS_BIND | _MS_REC)
    _set_attributes("/", _ATTR_RDONLY | _ATTR_NOSUID, 0)
    for path in places.writable:
        _set_attributes(path, 0, _ATTR_RDONLY, _ONLY_THIS)
        _make_writable_within(path)


def _make_writable_within(path):
    """What is mounted in there read-only by the host stays so, and the kernel then leaves the rest as well."""
    try:
        _set_attributes(path, 0, _ATTR_RDONLY)
    except PermissionError:
        pass


def _set_attributes(path, setting, clearing, depth=_AT_RECURSIVE):
    attributes = _MountAttributes(setting, clearing, 0, 0)
    size = ctypes.sizeof(attributes)
    kernel.call("mount_setattr", _AT_FDCWD, os.fsencode(path), depth, ctypes.byref(attributes), size)


def _make_file(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))


def _write(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode("ascii"))
    finally:
        os.close(fd)
