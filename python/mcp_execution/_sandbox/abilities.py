"""What this machine can do for a sandbox, found by trying: for `mcp-exec doctor`, which runs this as a process of its own."""

import errno
import json
import os
import signal
import sys

from .syscalls import numbers

MARK = "mcp-execution-abilities:"

_WITHOUT_LANDLOCK = {
    errno.ENOSYS: "this kernel is without it",
    errno.EOPNOTSUPP: "this kernel has it, but it was not switched on at boot",
    errno.EPERM: "this process is kept from it",
}
_CONTROLLERS = ("memory", "pids")


def main():
    print(f"\n{MARK}{json.dumps(examine())}", flush=True)


def examine():
    """Each ability, with the reason where it is missing. Where there is no Linux, there are none."""
    if sys.platform != "linux":
        return {"linux": False}
    system = os.uname()
    try:
        numbers(system.machine)
        found = _try_each()
    except (LookupError, ImportError) as error:
        found = _none_because(str(error))
    return {"linux": True, "kernel": system.release, "machine": system.machine, **found, "cgroup": cgroup_ability()}


def _none_because(reason):
    missing = {"works": False, "reason": reason}
    return {
        "landlock": {"version": 0, "reason": reason},
        "seccomp": missing,
        "namespaces": missing,
        "processes": {"boundedByNamespace": False, "countedByUser": False},
    }


def _try_each():
    from . import kernel, namespaces

    refusal = namespaces.why_not()
    permitted = refusal is None
    return {
        "landlock": landlock_ability(),
        "seccomp": {"works": kernel.can_filter()},
        "namespaces": {"works": True} if permitted else {"works": False, "reason": refusal, "refused": _refused_kinds(kernel)},
        "processes": {
            "boundedByNamespace": permitted and _namespace_bounds_processes(),
            "countedByUser": permitted and os.getuid() != 0,
        },
    }


def landlock_ability():
    from . import landlock

    version = landlock.version()
    if version:
        return {"version": version}
    try:
        os.close(landlock.Rules(1).fd)
    except OSError as error:
        return {"version": 0, "reason": _WITHOUT_LANDLOCK.get(error.errno, os.strerror(error.errno))}
    return {"version": 0, "reason": "it does not say which version it has"}


def _refused_kinds(kernel):
    """Which kinds of namespaces cannot be had, each tried alone; without one of users, none can by whoever is not root."""
    from .namespaces import _NEWNET, _NEWNS, _NEWPID, _NEWUSER

    if not _can_clone(kernel, _NEWUSER):
        return ["user"]
    kinds = {"process": _NEWPID, "mount": _NEWNS, "network": _NEWNET}
    return [kind for kind, flag in kinds.items() if not _can_clone(kernel, _NEWUSER | flag)]


def _can_clone(kernel, flags):
    try:
        pid = kernel.clone(flags | signal.SIGCHLD)
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def _namespace_bounds_processes():
    from . import namespaces
    from .places import Places

    identity = os.getuid(), os.getgid()
    pid = namespaces.start(net=False)
    if pid == 0:
        is_bounded = False
        try:
            nothing = Places(read=(), write=())
            is_bounded = namespaces.Surroundings().begin(identity, nothing, max_processes=64).are_bounded
        except BaseException:  # noqa: BLE001 - a forked child must never run on as its parent
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(0 if is_bounded else 1)
    return os.waitpid(pid, 0)[1] == 0


def cgroup_ability(root="/"):
    """Whether this process may give its children a control group of their own, with limits of memory and processes."""
    folder = _own_cgroup(_read(root, "proc/self/mountinfo"), _read(root, "proc/self/cgroup"))
    if folder is None:
        return _not_delegated("control groups of version 2 are not mounted")
    folder = os.path.join(root, folder.lstrip("/"))
    lacking = [name for name in _CONTROLLERS if name not in _read(folder, "cgroup.controllers").split()]
    if lacking:
        return _not_delegated(f"the group of this process has no controller for {' and '.join(lacking)}")
    try:
        _make_and_remove(folder)
    except OSError as error:
        return _not_delegated(f"the group of this process cannot be divided ({os.strerror(error.errno)})")
    return {"delegated": True}


def _not_delegated(reason):
    return {"delegated": False, "reason": reason}


def _own_cgroup(mountinfo, cgroups):
    """The folder of this process's group. In a container, a part of the tree may be all that is mounted."""
    own = next((line[3:] for line in cgroups.splitlines() if line.startswith("0::")), None)
    mounts = [line.partition(" - ")[0].split() for line in mountinfo.splitlines() if " - cgroup2 " in line]
    if own is None or not mounts:
        return None
    mounted_part, place = mounts[0][3:5]
    return os.path.join(place, os.path.relpath(own, mounted_part) if own.startswith(mounted_part) else own.lstrip("/"))


def _make_and_remove(folder):
    group = os.path.join(folder, f"mcp-execution-{os.getpid()}")
    os.mkdir(group)
    os.rmdir(group)
    if not os.access(os.path.join(folder, "cgroup.subtree_control"), os.W_OK):
        raise PermissionError(errno.EACCES, "cgroup.subtree_control")


def _read(*path):
    try:
        with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
