"""What no limit of the kernel holds is looked at ten times a second: the scratch folder where it is a plain folder,
and memory and processor time of everything that a call started, where it may start processes."""

import os

from .. import _platform, _procfs
from .scratch import IMPORT

EVERY_MS = 100

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Watch:
    """Kills the calls of a keeper that are over a limit, and remembers which limit it was."""

    def __init__(self, keeper, confinement, limits):
        self._keeper = keeper
        self._confinement = confinement
        self._limits = limits
        self._ended = {}

    def start(self):
        watches = [self._look_at_disk] if not self._confinement.in_namespaces else []
        if self._confinement.run:
            watches.append(self._look_at_processes)
        if watches:
            self._keeper.every(EVERY_MS, lambda: [look() for look in watches])
        return self

    def ended(self, key):
        """The limit that ended a call, for the report of its death."""
        code = self._ended.pop(key, None)
        return {} if code is None else {"ended": code}

    def _look_at_disk(self):
        for key, size in self._confinement.scratch_sizes().items():
            if size > self._confinement.sandbox["scratchBytes"]:
                self._end(key, "DISK_LIMIT")

    def _look_at_processes(self):
        self._look_at_strangers()
        for key, pid in self._keeper.processes():
            memory, cpu_ms = _usage_of_started(pid)
            if memory > self._limits["memoryBytes"]:
                self._end(key, "MEMORY_LIMIT")
            elif cpu_ms > self._limits["cpuMs"]:
                self._end(key, "CPU_LIMIT")

    def _look_at_strangers(self):
        """Processes that no call admits to having started go when they are too much together."""
        known = dict(self._keeper.processes()).values()
        strangers = [pid for pid in _procfs.children() if pid not in known]
        if sum(_procfs.own_memory(pid) for pid in strangers) > self._limits["memoryBytes"]:
            _platform.kill_strangers(frozenset(known))

    def _end(self, key, code):
        if key == IMPORT:
            self._keeper.end(1)
        self._ended[key] = code
        self._keeper.kill(key)


def _usage_of_started(pid):
    """Memory and processor time of the processes that a process started; the kernel limits its own."""
    memory, ticks = 0, sum(_times(pid)[2:])
    pending = _procfs.children_of(pid)
    while pending:
        child = pending.pop()
        memory += _procfs.own_memory(child)
        ticks += sum(_times(child))
        pending += _procfs.children_of(child)
    return memory, ticks * 1000 / _TICKS_PER_SECOND


def _times(pid):
    """Of the process, as user and in the kernel, and the same of the children that it has waited for."""
    stat = (_procfs.read_file(f"/proc/{pid}/stat") or b"").rpartition(b")")[2].split()
    return [int(ticks) for ticks in stat[11:15]]
