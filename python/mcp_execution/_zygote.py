"""One process per script: imports it once, then forks children ahead of their calls."""

import gc
import json
import os
import socket
import sys
from array import array

try:
    import fcntl
except ImportError:
    fcntl = None

from . import _finish, _forking, _forksafety, _platform, _randomness, _signals, _worker
from ._channel import ANSWER_FD, REQUEST_FD, Channel
from ._keeper import Keeper, death

KEY_BYTES = 8
BIRTH_BYTES = KEY_BYTES + 16 + 1
ROOM_FOR_ENDS = socket.CMSG_SPACE(4 * 4) if hasattr(socket, "CMSG_SPACE") else 0
GROWTH_CHECK_EVERY = 64
HEADER_BYTES, PIPES = 5, 4
_FREE_FD = 10

_close = os.close


def _ends_in(ancillary):
    """The descriptors that came; fewer than were sent where no more can be open."""
    fds = array("i")
    for _, _, data in ancillary:
        fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    return list(fds)


def start(become):
    """Become a zygote, and never go on as anything else."""
    try:
        become()
    except BaseException:  # noqa: BLE001 - as the last word of a process that was forked
        sys.excepthook(*sys.exc_info())
    os._exit(70)


def wait(births, confinement):
    """Build what can be built of a sandbox without its script, and go on when the script is named."""
    confinement.settle_ahead()
    births.send(b"R")
    order, ends = _receive_order(births)
    confinement.follow(order["plan"])
    main(ends, births, order["spec"], confinement)


def _receive_order(births):
    """The script, and the ends of its lane, out of the way of where they are to go."""
    header, ends, _, _ = socket.recv_fds(births, HEADER_BYTES, PIPES)
    if len(header) < HEADER_BYTES:
        os._exit(0)
    body, length = bytearray(), int.from_bytes(header[1:], "big")
    while len(body) < length:
        body += births.recv(length - len(body)) or os._exit(0)
    return json.loads(body), [_moved(fd) for fd in ends]


def _moved(fd):
    """The same open file where no process looks for something else."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FD)
    os.close(fd)
    return moved


def main(ends, births, spec, confinement=None):
    _worker.take_descriptors(ends)
    control = Channel(REQUEST_FD, ANSWER_FD)
    control.send_encoded(bytes.fromhex(spec["token"]))
    _platform.raise_oom_score()
    if confinement is not None:
        births = socket.socket(fileno=_moved(births.detach()))
        enter(confinement, control)
    Zygote(control, births, spec, confinement).loop()


def enter(confinement, control):
    from ._sandbox import entry

    entry.settle(confinement, control)
    entry.confine(confinement, control)
    _await_leave(control)


def _await_leave(control):
    """A pipe can be read by whoever writes to it: what the host has not heard yet, a script could take back and replace."""
    frame = control.receive()
    if frame is None or frame[0] != b"G":
        os._exit(0)


class Zygote:
    def __init__(self, control, births, spec, confinement):
        self._control = control
        self._births = births
        self._deaths = 0
        self._limits = spec["limits"]
        self._confinement = confinement
        self._signals = _signals.keep()
        self._keeper = Keeper(self._on_gone)
        self._keeper.dies_with_parent = confinement is not None and confinement.in_namespaces
        self._imported = _finish.ImportedWork()
        self._randomness = _randomness.watch()
        snapshot = _forksafety.Snapshot()
        self._program = self._import(spec)
        reason = _forksafety.reason_not_to_fork(snapshot) if spec["script"] else None
        self._prepare_to_fork()
        control.send(b"R", {"reason": reason, "files": self._program.files, "bytes": _platform.current_memory()})
        if reason is not None:
            self._end_gracefully()
        self._worker = _worker.ForkedWorker(
            self._program, self._limits, snapshot.inherited(), confinement is not None
        )
        self._keeper.watch(REQUEST_FD, self._on_control)
        self._keeper.watch(births.fileno(), self._on_birth)
        self._watch = None if confinement is None else confinement.watch(self._keeper)
        gc.collect()
        gc.freeze()

    def _import(self, spec):
        self._imported.watch()
        hooks = _forking.Hooks().watch()
        program, failure = _worker.load(spec)
        self._fork = hooks.settle()
        self._imported.settle()
        self._randomness.settle()
        if failure is not None:
            self._control.send(b"E", failure)
            self._keeper.end()
        return program

    def _prepare_to_fork(self):
        """Whatever the import did to this process, it can work, and no process that the import started is left."""
        self._signals.reset_in_zygote()
        self._keeper.arm()
        _platform.kill_strangers()
        _worker.silence()

    def loop(self):
        self._obey(self._control.received())
        self._keeper.loop()

    def _on_birth(self):
        message, ancillary, _, _ = self._births.recvmsg(BIRTH_BYTES, ROOM_FOR_ENDS)
        if len(message) < BIRTH_BYTES:
            self._keeper.end()
        key, token, is_hurried = int.from_bytes(message[:KEY_BYTES], "big"), message[KEY_BYTES:-1], message[-1]
        ends = _ends_in(ancillary)
        if len(ends) < PIPES:
            self._give_up(key, ends, "no more files can be opened")
            return
        births_fd = self._births.fileno()
        confinement = self._confinement
        slot = confinement.prepare_slot(key) if confinement is not None else None

        def child():
            _platform.die_with_parent()
            _platform.become_subreaper()
            _close(births_fd)
            _worker.take_descriptors(ends)
            if slot is not None:
                confinement.confine_call(slot)
            self._signals.restore_in_child()
            self._randomness.renew()
            self._worker.serve(token, is_hurried)

        try:
            self._keeper.fork(key, child, self._fork)
        except OSError as error:
            if slot is not None:
                self._give_slot_back(key)
            self._give_up(key, ends, error.strerror)
            return
        for fd in ends:
            _close(fd)

    def _give_up(self, key, ends, reason):
        """What this process lacks is nothing for the calls under way to suffer from."""
        for fd in ends:
            _close(fd)
        self._control.send(b"D", {"key": key, "exitCode": None, "signal": reason, "cpuMs": 0, "peakBytes": 0})

    def _on_control(self):
        frames, open_ = self._control.receive_ready()
        self._obey(frames)
        if not open_:
            self._keeper.end()

    def _obey(self, frames):
        for kind, payload in frames:
            if kind == b"K":
                self._keeper.kill(payload["key"])
            elif kind == b"X":
                self._end_gracefully()

    def _on_gone(self, key, status, usage):
        self._deaths += 1
        report = {"key": key, **death(status, usage)}
        if self._watch is not None:
            report.update(self._watch.ended(key))
        if self._deaths % GROWTH_CHECK_EVERY == 0:
            report["bytes"] = _platform.current_memory()
        self._control.send(b"D", report)
        if self._confinement is not None:
            self._give_slot_back(key)

    def _give_slot_back(self, key):
        """A scratch folder that cannot be emptied is nothing to go on with."""
        try:
            self._confinement.slots.give_back(key)
        except OSError:
            self._keeper.end(1)

    def _end_gracefully(self):
        """Handlers that the script registered at import have their turn."""
        _platform.kill_strangers()
        self._imported.finish()
        self._keeper.end()
