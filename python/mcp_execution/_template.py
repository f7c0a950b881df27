"""The trusted first process: starts early, forks zygotes and hands them descriptors.

It never runs a script's code. When the host goes, it ends every process below it.
"""

import gc
import os
import socket

from . import _platform, _procfs, _worker, _zygote
from ._channel import Channel, encode
from ._keeper import Keeper, Reborn, death

CONTROL_FD = 3
#: The host counts from 1.
SPARE_KEY = 0
SPARE_AFTER_MS = 20
_FAILURES = (OSError, ValueError, LookupError, StopIteration)
PIPES = 4


def main(sandboxed=False):
    _procfs.close_descriptors_from(CONTROL_FD + 1)
    try:
        Template(Channel(CONTROL_FD), Confinements() if sandboxed else None).loop()
    except Reborn as new:
        become = new.become
    _zygote.start(become)


class Template:
    def __init__(self, control, confinements=None):
        os.set_inheritable(CONTROL_FD, False)
        self._control = control
        self._handles = {}
        self._lanes = {}
        self._confinements = confinements
        self._spare = None
        self._keeper = Keeper(self._on_gone)
        _worker.warm_up()
        gc.collect()
        gc.freeze()
        self._keeper.watch(CONTROL_FD, self._on_control)

    def loop(self):
        self._keeper.loop()

    def _on_control(self):
        frames, open_ = self._control.receive_ready()
        for kind, order in frames:
            if kind == b"B":
                self._give_birth(order)
            elif kind == b"F":
                _close_all(self._lanes.pop(order["lane"], ()))
            elif kind == b"Z":
                self._try_to_start_zygote(order)
            elif kind == b"K":
                self._keeper.kill(order["key"])
        if not open_:
            self._keeper.end(last=self._confinements and self._confinements.remove_all)

    def _try_to_start_zygote(self, spec):
        """What is wrong about one script, or the lack of descriptors, is nothing for others to suffer from."""
        try:
            self._start_zygote(spec)
        except _FAILURES as error:
            if self._confinements:
                self._confinements.remove(spec["key"])
            self._tell_no_start(spec["key"], str(error))

    def _start_zygote(self, spec):
        confinement = self._confinements.make(spec) if self._confinements and spec["sandbox"] else None
        ends = self._fresh_ends(spec["lane"])
        try:
            if not self._give_spare(confinement, spec, ends):
                self._fork(spec["key"], confinement, lambda births: _zygote.main(ends, births, spec, confinement))
        except _FAILURES:
            _close_all(ends)
            raise
        _close_all(ends)
        kind = confinement.kind if confinement is not None else None
        if kind is not None:
            self._keeper.once(SPARE_AFTER_MS, lambda: self._make_spare(kind, spec["limits"]))

    def _give_spare(self, confinement, spec, ends):
        """Let the process that waits for a script have this one. Says whether there was one that could."""
        spare = self._spare
        if spare is None or confinement is None or not spare.is_like(confinement.kind):
            return False
        if not spare.is_fresh():
            self._spare = None
            self._keeper.kill(SPARE_KEY)
            return False
        if not spare.takes(confinement, spec, ends):
            return False
        self._spare = None
        self._keeper.rename(SPARE_KEY, spec["key"])
        self._handles[spec["key"]] = self._handles.pop(SPARE_KEY)
        return True

    def _fork(self, key, confinement, become):
        """Fork a process that leaves all of the template behind. Says whether that went well, and tells the host if not."""
        mine, theirs = socket.socketpair()

        def child():
            _platform.die_with_parent()
            self._close_own(mine.fileno())
            raise Reborn(lambda: become(theirs))

        try:
            self._keeper.fork(key, child, confinement.fork if confinement else os.fork)
        except OSError as error:
            mine.close()
            self._tell_no_start(key, error.strerror)
        else:
            self._handles[key] = mine
        theirs.close()
        return key in self._handles

    def _make_spare(self, kind, limits):
        """The next script finds a process whose sandbox is built already, as far as it can be without the script."""
        if SPARE_KEY in self._handles:
            return
        try:
            confinement = self._confinements.without_script(kind, limits)
            spare = Spare(kind, confinement.places)
            if self._fork(SPARE_KEY, confinement, lambda births: _zygote.wait(births, confinement)):
                spare.births = self._handles[SPARE_KEY]
                self._spare = spare
        except _FAILURES:
            pass

    def _give_birth(self, order):
        handle = self._handles.get(order["zygote"])
        if handle is None:
            return
        try:
            ends = self._fresh_ends(order["lane"])
        except OSError as error:
            self._control.send(b"N", {"key": order["key"], "lane": order["lane"], "reason": error.strerror})
            return
        try:
            birth = order["key"].to_bytes(8, "big") + bytes.fromhex(order["token"]) + bytes([order["hurried"]])
            socket.send_fds(handle, [birth], ends)
        except OSError:
            pass
        _close_all(ends)

    def _fresh_ends(self, lane):
        """Ends of the lane's pipes that no process had before: requests to read, answers, stdout and stderr to write."""
        if not self._is_clean(lane):
            self._open_lane(lane)
        try:
            return self._ends(lane)
        except PermissionError:
            # A process before took the permissions of its pipes away.
            self._open_lane(lane)
            return self._ends(lane)

    def _ends(self, lane):
        return _all_or_none(
            _reopen(fd, os.O_WRONLY if number else os.O_RDONLY) for number, fd in enumerate(self._lanes[lane])
        )

    def _is_clean(self, lane):
        """Nothing that an earlier process wrote, or did not read, is left in the pipes."""
        pipes = self._lanes.get(lane)
        return pipes is not None and all(_platform.unread_bytes(fd) == 0 for fd in pipes)

    def _open_lane(self, lane):
        _close_all(self._lanes.pop(lane, ()))
        self._lanes[lane] = _all_or_none(_new_pipe() for _ in range(PIPES))
        self._control.send(b"L", {"lane": lane, "fds": self._lanes[lane]})

    def _close_own(self, *others):
        """In a new zygote: let go of what belongs to the template alone, and forget the scripts of others."""
        _close_all([CONTROL_FD, *others, *(handle.fileno() for handle in self._handles.values())])
        for pipes in self._lanes.values():
            _close_all(pipes)
        if self._confinements:
            self._confinements.let_go()
        self._keeper.forget_what_is_due()
        self._handles.clear()
        self._lanes.clear()

    def _on_gone(self, zygote, status, usage):
        self._handles.pop(zygote).close()
        if zygote == SPARE_KEY:
            self._spare = None
            return
        if self._confinements:
            self._confinements.remove(zygote)
        self._tell_death(zygote, death(status, usage))

    def _tell_no_start(self, zygote, reason):
        self._tell_death(zygote, {"exitCode": None, "signal": reason, "cpuMs": 0, "peakBytes": 0})

    def _tell_death(self, zygote, how):
        self._control.send(b"D", {"key": zygote, **how})


class Spare:
    """A process that waits for its script."""

    def __init__(self, kind, places):
        self.births = None
        self._kind = kind
        self._paths = places.visible
        self._seen = self._look()

    def is_like(self, kind):
        return kind == self._kind

    def is_fresh(self):
        """Whether the host's places are still those that the process sees: nothing mounted, nothing replaced since."""
        return self._look() == self._seen

    def takes(self, confinement, spec, ends):
        """Give it the script, once it has said that it is ready. Says whether it took it."""
        order = encode(b"Z", {"spec": spec, "plan": confinement.plan()})
        try:
            if not self.births.recv(1, socket.MSG_DONTWAIT):
                return False
            sent = socket.send_fds(self.births, [order], ends)
            self.births.sendall(order[sent:])
        except OSError:
            return False
        return True

    def _look(self):
        return _procfs.read_file("/proc/self/mountinfo"), [_identity(path) for path in self._paths]


def _identity(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Confinements:
    """The sandboxes of the zygotes that are alive. What the machine can do is found out once, ahead of the first."""

    def __init__(self):
        from . import _attach  # noqa: F401 - what follows is here so that no zygote has to load it
        from ._sandbox import entry, lockdown  # noqa: F401
        from ._values import paths  # noqa: F401

        self._make, self._of_one_script = lockdown.Confinement, lockdown.OF_ONE_SCRIPT
        self._machine = lockdown.Machine()
        self._machine.why_no_namespaces(net=False)
        self._alive = {}

    def make(self, spec):
        confinement = self._alive[spec["key"]] = self._make(spec["sandbox"], spec["limits"], self._machine)
        return confinement

    def without_script(self, kind, limits):
        return self._make({**kind, **self._of_one_script}, limits, self._machine)

    def remove(self, key):
        confinement = self._alive.pop(key, None)
        if confinement is not None:
            confinement.remove()

    def let_go(self):
        """In a new zygote: none of them is its to remove."""
        for confinement in self._alive.values():
            confinement.let_go()
        self._alive.clear()

    def remove_all(self):
        for key in list(self._alive):
            self.remove(key)


def _new_pipe():
    """One descriptor that holds both ends, from which further ones are opened, here and by the host."""
    ends = os.pipe()
    try:
        return _reopen(ends[0], os.O_RDWR)
    finally:
        _close_all(ends)


def _all_or_none(opening):
    """The descriptors that are opened one after the other; where one cannot be, none is left open."""
    opened = []
    try:
        for fd in opening:
            opened.append(fd)
    except OSError:
        _close_all(opened)
        raise
    return opened


def _reopen(fd, mode):
    return os.open(f"/proc/self/fd/{fd}", mode | os.O_CLOEXEC)


def _close_all(fds):
    for fd in fds:
        os.close(fd)
