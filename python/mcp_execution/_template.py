"""The trusted first process: starts early, preloads common modules, forks zygotes and hands them descriptors.

It never runs a script's code. When the host goes, it ends every process below it.
"""

import os
import socket

from . import _platform, _zygote
from ._channel import Channel, encode
from ._keeper import Keeper, death

CONTROL_FD = 3

PRELOADED = (
    "argparse ast base64 bisect calendar collections contextlib copy csv dataclasses datetime decimal difflib enum "
    "fnmatch fractions functools glob hashlib heapq html inspect io itertools json logging math operator pathlib "
    "pprint random re secrets shutil signal socket statistics string struct subprocess tempfile textwrap threading time "
    "traceback types typing unicodedata urllib.parse uuid warnings weakref zipfile zoneinfo "
    "mcp_execution._worker"
).split()


def main():
    Template(Channel(CONTROL_FD)).loop()


class Template:
    def __init__(self, control):
        os.set_inheritable(CONTROL_FD, False)
        self._control = control
        self._handles = {}
        self._lanes = {}
        self._unopened = {}
        self._keeper = Keeper(self._on_gone)
        _, settings = control.receive()
        self._address = settings["socket"]
        preload()
        self._keeper.watch(CONTROL_FD, self._on_control)
        self._handle(control.received())

    def loop(self):
        self._keeper.loop()

    def _on_control(self):
        frames, open_ = self._control.receive_ready()
        self._handle(frames)
        if not open_:
            self._keeper.end()

    def _handle(self, frames):
        for kind, order in frames:
            if kind == b"B":
                self._give_birth(order["zygote"], order["key"], order["lane"])
            elif kind == b"O":
                self._close_unopened(order)
            elif kind == b"F":
                _close_all(*self._lanes.pop(order["lane"], ()))
            elif kind == b"Z":
                self._start_zygote(order)
            elif kind == b"K":
                self._keeper.kill(order["key"])

    def _start_zygote(self, spec):
        key = spec["key"]
        mine, theirs = socket.socketpair()
        connection, out, err = self._connect(key, spec["lane"])

        def child():
            _platform.die_with_parent()
            self._close_own(mine.fileno())
            _zygote.main(connection, theirs, out, err, spec)

        self._keeper.fork(key, child)
        self._handles[key] = mine
        theirs.close()
        _close_all(connection, out, err)

    def _give_birth(self, zygote, key, lane):
        handle = self._handles.get(zygote)
        if handle is None:
            return
        fds = self._connect(key, lane)
        try:
            socket.send_fds(handle, [key.to_bytes(8, "big")], fds)
        except OSError:
            pass
        _close_all(*fds)

    def _connect(self, key, lane):
        """A connection and two writing ends, all new, so that nothing one child does to its own reaches another."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        pipes = None if self._is_clean(lane) else self._open_lane(lane)
        connection.sendall(encode(b"H", {"key": key, "pipes": pipes}))
        out, err = (os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_CLOEXEC) for fd in self._lanes[lane])
        return connection.detach(), out, err

    def _is_clean(self, lane):
        """Nothing that an earlier child wrote is left in the pipes."""
        ends = self._lanes.get(lane)
        return ends is not None and all(_platform.unread_bytes(fd) == 0 for fd in ends)

    def _open_lane(self, lane):
        _close_all(*self._lanes.pop(lane, ()))
        out_read, out = os.pipe()
        err_read, err = os.pipe()
        self._lanes[lane] = (out, err)
        self._unopened[lane] = (out_read, err_read)
        return [out_read, err_read]

    def _close_unopened(self, lanes):
        """The host has opened these pipes itself by now."""
        for lane in lanes:
            _close_all(*self._unopened.pop(lane, ()))

    def _close_own(self, *others):
        """In a new zygote: let go of what belongs to the template alone."""
        _close_all(CONTROL_FD, *others, *(handle.fileno() for handle in self._handles.values()))
        for ends in (*self._lanes.values(), *self._unopened.values()):
            _close_all(*ends)

    def _on_gone(self, zygote, status, usage):
        self._handles.pop(zygote).close()
        self._control.send(b"D", {"key": zygote, **death(status, usage)})


def preload():
    for name in PRELOADED:
        __import__(name)


def _close_all(*fds):
    for fd in fds:
        os.close(fd)
