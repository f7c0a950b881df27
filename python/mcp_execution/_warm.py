"""An interpreter started ahead and used for one call, where forking is missing or unsafe."""

import gc
import os
import sys

from . import _platform, _procfs
from ._channel import ANSWER_FD, REQUEST_FD, Channel
from ._keeper import Keeper, death

CONTROL_FD = 5
_AREAS = ("files", "network", "processes", "memory", "cpu", "disk")

_exit = os._exit


def main():
    """Alone, where the system itself ends what a process leaves behind, or nothing can."""
    _procfs.close_descriptors_from(ANSWER_FD + 1)
    spec = _receive_spec()
    limited = _platform.kill_tree_with_me(spec["limits"]["memoryBytes"], _most_processes(spec["sandbox"]))
    if spec["sandbox"]:
        _tell_enforced(spec["sandbox"], limited)
    _work(spec)


def _most_processes(sandbox):
    """How many processes the system is to permit, where it counts them; None: as many as there may be."""
    if not sandbox:
        return None
    return sandbox["maxProcesses"] if sandbox["run"] else 1


def _tell_enforced(sandbox, limited):
    """Systems other than Linux: what they hold is reported as less than enforced, because nobody has attacked it yet."""
    held = {"memory", "processes"} if limited else set()
    if _platform.is_in_system_sandbox():
        held |= {"files", "network", "processes"}
    enforced = {area: "best-effort" if area in held else "none" for area in _AREAS}
    missing = ["a sandbox for this system that has been proven"] if sys.platform != "linux" else ["a guard process"]
    Channel(REQUEST_FD, ANSWER_FD).send(b"S", {"enforced": enforced, "missing": missing})
    if sandbox["required"]:
        _exit(0)
    if sandbox.get("scratch"):
        os.chdir(sandbox["scratch"])
        os.environ["TMPDIR"] = os.environ["HOME"] = sandbox["scratch"]


def guard():
    """A parent that runs no script: it outlives the worker, and takes the worker's whole tree with it."""
    _procfs.close_descriptors_from(CONTROL_FD + 1)
    spec = _receive_spec()
    confinement = _confinement_of(spec)
    if confinement is not None and confinement.in_namespaces:
        from ._sandbox import entry

        _become_first_process(confinement)
        entry.settle(confinement, Channel(REQUEST_FD, ANSWER_FD))
    control = Channel(CONTROL_FD)
    remove = confinement and confinement.remove

    def on_gone(key, status, usage):
        report = death(status, usage)
        if watch is not None:
            report.update(watch.ended(key))
        control.send(b"D", report)
        keeper.end(last=remove)

    def on_control():
        _, open_ = control.receive_ready()
        keeper.kill("worker")
        if not open_:
            keeper.end(last=remove)

    def child():
        _platform.die_with_parent()
        _platform.become_subreaper()
        _platform.raise_oom_score()
        os.close(CONTROL_FD)
        if confinement is not None:
            confinement.let_go()
        _work(spec, confinement)

    keeper = Keeper(on_gone)
    keeper.dies_with_parent = confinement is not None and confinement.in_namespaces
    keeper.fork("worker", child)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2, REQUEST_FD, ANSWER_FD):
        os.dup2(null, fd)
    watch = confinement and confinement.watch(keeper)
    keeper.watch(CONTROL_FD, on_control)
    keeper.loop()


def _receive_spec():
    frame = Channel(REQUEST_FD, ANSWER_FD).receive()
    if frame is None:
        _exit(0)
    return frame[1]


def _confinement_of(spec):
    if not spec["sandbox"]:
        return None
    from ._sandbox import lockdown

    return lockdown.Confinement(spec["sandbox"], spec["limits"], lockdown.Machine())


def _become_first_process(confinement):
    """Go on as the first process of new namespaces, which ends with this one, and this one with it."""
    pid = confinement.fork()
    if pid == 0:
        _platform.die_with_parent()
        return
    for fd in (1, 2, REQUEST_FD, ANSWER_FD, CONTROL_FD):
        os.close(fd)
    os.waitpid(pid, 0)
    confinement.remove()
    _exit(0)


def _work(spec, confinement=None):
    from . import _signals, _worker

    for fd in (REQUEST_FD, ANSWER_FD):
        os.set_inheritable(fd, False)
    channel = Channel(REQUEST_FD, ANSWER_FD)
    gc.freeze()
    if confinement is not None:
        from ._sandbox import entry

        confinement.confine_import(entry.confine(confinement, channel))
    program, failure = _worker.load(spec)
    if failure is not None:
        channel.send(b"E", failure)
        _exit(1)
    _signals.stop_timers()
    _worker.serve_own(channel, program, spec["limits"])
