"""The sandbox of a script, in the order in which it closes: planned by a process that is trusted, entered by the
process that is about to import the script, and once more by the process of each call."""

import os
import sys
import tempfile

from .. import _failure, _platform, _run
from .._channel import SCRATCH_FD
from . import denials, filters, kernel, landlock, namespaces, scratch
from .places import Places, is_inside, places_of
from .watch import Watch

OF_ONE_SCRIPT = {"folder": None, "read": [], "write": []}
_SPARE_PROCESSES = 16
_FEWEST_OPEN_FILES = scratch.FIRST_KEPT_FD + 112
_ROOM_FOR_IMPORT = 256 << 20
#: A process that forks uses about a millisecond per call, and is replaced long before this.
_CPU_SECONDS_OF_FORKING = 3600
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_USE_OF_DEVICES = landlock.RIGHT["read_file"] | landlock.RIGHT["write_file"]
_OF_PROC = ("/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems")

_install, _child_filter, _enforce = filters.install, filters.child_filter, landlock.enforce
_dup2, _close, _chdir, _closerange, _getpid = os.dup2, os.close, os.chdir, os.closerange, os.getpid


class Machine:
    """What this machine can do, found by trying once."""

    def __init__(self):
        self.abi = landlock.version()
        self.has_filters = kernel.can_filter()
        self._refusals = {}

    def why_no_namespaces(self, net):
        if net not in self._refusals:
            self._refusals[net] = namespaces.why_not(net)
        return self._refusals[net]


class Confinement:
    """One sandbox: of one process that forks and its children, or of one warm interpreter."""

    def __init__(self, sandbox, limits, machine):
        self.sandbox = sandbox
        self._limits = limits
        self._machine = machine
        self._abi = machine.abi
        self.net, self.run = sandbox["net"], sandbox["run"]
        self.places = places_of(sandbox)
        wants_namespaces = sandbox["namespaces"] != "off"
        self.in_namespaces = wants_namespaces and machine.why_no_namespaces(self.net) is None
        self.has_own_root = self.in_namespaces and not self.places.are_everything
        self._identity = os.getuid(), os.getgid()
        self._host_root = None if self.has_own_root else scratch.HostRoot()
        self.root = scratch.root_in_own_root(self.places) if self.has_own_root else self._host_root.path
        self.max_processes = sandbox["maxProcesses"] + sandbox["slots"] + _SPARE_PROCESSES
        self._surroundings = None
        self.slots = None
        self._most_descriptors = limits["maxOpenFiles"] + scratch.ROOM_FOR_KEPT
        self._most_cpu_seconds = (limits["cpuMs"] + sandbox["importTimeoutMs"]) // 1000 + _CPU_SECONDS_OF_FORKING
        self._filter = self._make_filter()

    def fork(self):
        """`os.fork()`, into namespaces where there are any."""
        return namespaces.start(self.net) if self.in_namespaces else os.fork()

    def let_go(self):
        """In a process that was forked in here: what is the trusted process's to remove is none of its own."""
        if self._host_root is not None:
            self._host_root.let_go()

    def settle(self):
        """The new process's surroundings, while it still has the right to make them."""
        if self.in_namespaces:
            self.settle_ahead()
            self._surroundings.finish(self.places, self.root, self.sandbox["slots"], self.sandbox["scratchBytes"])

    def settle_ahead(self):
        """As much of them as needs to know no script."""
        if self._surroundings is None:
            self._surroundings = namespaces.Surroundings().begin(self._identity, self.places, self.max_processes)

    def plan(self):
        """All that tells this sandbox from another one of its `kind`, for a process that was made ahead."""
        return {"sandbox": self.sandbox, "root": self.root, "places": self.places.plan()}

    def follow(self, plan):
        """In such a process: be that sandbox."""
        self.sandbox, self.root, self.places = plan["sandbox"], plan["root"], Places.planned(plan["places"])

    @property
    def kind(self):
        """What sandboxes have to have in common for one to take another's place; None where that cannot be."""
        if not self.has_own_root:
            return None
        return {name: value for name, value in self.sandbox.items() if name not in OF_ONE_SCRIPT}

    def confine(self):
        """Give up every right that the script is not to have. What comes after this is untrusted code."""
        kernel.drop_capabilities(runs_programs=self.run)
        kernel.no_new_privileges()
        self._limit()
        sys.dont_write_bytecode = True
        denials.watch(self)
        _failure.explain = denials.explain
        self.slots = scratch.Slots(self.root, self.sandbox["slots"], self.sandbox["folder"], self.in_namespaces)
        slot = self.slots.take(scratch.IMPORT)
        self._step_into(slot)
        if self._abi:
            self._places = self._open_places()
            own = landlock.open_place(_own_proc(), landlock.READ)
            root = landlock.open_place(self.root, landlock.READ | landlock.WRITE)
            rules = self._rules(root, own)
            landlock.enforce(rules)
            for fd in (rules, root[0], own[0]):
                _close(fd)
        if self._machine.has_filters:
            filters.install(self._filter)
        return slot

    def prepare_slot(self, key):
        """A scratch folder for the next process, with the rules that keep it to that folder."""
        slot = self.slots.take(key)
        if slot.rules is None and self._abi:
            slot.rules = scratch.keep(self._rules((slot.fd, landlock.READ | landlock.WRITE)))
        return slot

    def confine_import(self, slot):
        """Where the process that imports is the one that is called: its scratch folder stays the same."""
        if self._abi:
            own = landlock.open_place(_own_proc(), landlock.READ)
            slot.rules = scratch.keep(self._rules((slot.fd, landlock.READ | landlock.WRITE), own))
            _close(own[0])
        self.confine_call(slot)

    def confine_call(self, slot):
        """In the process of a call: nothing of other calls is within reach, and no process can be started."""
        self._step_into(slot)
        _platform.seal("RLIMIT_NOFILE", self._limits["maxOpenFiles"])
        if self.in_namespaces:
            _platform.seal("RLIMIT_NPROC", self.max_processes - _SPARE_PROCESSES)
        if slot.rules is not None:
            _enforce(slot.rules)
        _closerange(scratch.FIRST_KEPT_FD, self._most_descriptors)
        if self._machine.has_filters:
            restrict = self._abi < landlock.SCOPES_FROM and not self.run
            _install(_child_filter(kernel.MACHINE, pid=_getpid(), run=self.run, restrict_signals=restrict))

    def is_own(self, path):
        """Whether a path leads to what the process may change: its scratch folder, or what it was allowed."""
        return is_inside(os.path.realpath(path), (os.getcwd(), self.root, *self.places.writable))

    def scratch_sizes(self):
        """By key of the process; a guard keeps one, and has not furnished its folders itself."""
        return {"worker": scratch.folder_bytes(self.root)} if self.slots is None else self.slots.sizes()

    def watch(self, keeper):
        """What the kernel does not limit, whoever keeps the processes looks at."""
        return Watch(keeper, self, self._limits).start()

    def remove(self):
        """By the trusted process, when nothing runs in here any more."""
        if self._host_root is not None:
            self._host_root.remove()

    def report(self):
        """What holds against a script that means harm, and what of the profile does not."""
        filtered = self._machine.has_filters
        sees_all = self.places.are_everything and self.places.are_all_writable
        signals_held = self._abi >= landlock.SCOPES_FROM or self.in_namespaces or not self.run
        by_watching = "best-effort" if self.run else "enforced"
        enforced = {
            "files": "none" if sees_all else self._files(filtered),
            "network": "none" if self.net else _if(filtered),
            "processes": self._processes(filtered and signals_held),
            "memory": by_watching,
            "cpu": by_watching,
            "disk": "enforced" if self.in_namespaces else "best-effort",
        }
        return {"enforced": enforced, "missing": self._missing(filtered, signals_held)}

    def _make_filter(self):
        """Ahead of the fork, which every sandbox of this kind then finds it made."""
        if not self._machine.has_filters:
            return None
        covered = self._abi >= landlock.TRUNCATE_FROM
        options = {"net": self.net, "run": self.run, "own_root": self.in_namespaces, "truncate_covered": covered}
        return filters.zygote_filter(kernel.MACHINE, **options)

    def _files(self, filtered):
        """Namespaces alone keep the host's files, and not those of other calls."""
        if not filtered or not (self._abi or self.has_own_root):
            return "none"
        return "enforced" if self._abi else "best-effort"

    def _processes(self, held):
        if not held:
            return "none"
        are_bounded = self._surroundings is not None and self._surroundings.are_bounded
        return "enforced" if are_bounded or self._are_counted() else "best-effort"

    def _are_counted(self):
        """The kernel counts the processes of a user in a namespace, but never those of root."""
        return self.in_namespaces and os.getuid() != 0

    def _missing(self, filtered, signals_held):
        missing = []
        if not filtered:
            missing.append("seccomp filters, which keep a script from the network, other processes and the kernel")
        if not self._abi and not self.has_own_root:
            missing.append("Landlock or namespaces, which keep a script from the files of this machine")
        if not signals_held:
            missing.append("Landlock 6 or namespaces, which keep processes of a script from signalling others")
        return missing

    def _limit(self):
        limits = self._limits
        if _platform.most_open_files() < _FEWEST_OPEN_FILES:
            raise ValueError(f"strict needs a limit of at least {_FEWEST_OPEN_FILES} open files (ulimit -n)")
        _platform.seal("RLIMIT_CORE", 0)
        _platform.seal("RLIMIT_MSGQUEUE", 0)
        _platform.seal("RLIMIT_NOFILE", self._most_descriptors)
        _platform.seal("RLIMIT_CPU", self._most_cpu_seconds)
        if not self.places.writable:
            _platform.seal("RLIMIT_FSIZE", self.sandbox["scratchBytes"])
        if self.in_namespaces:
            _platform.seal("RLIMIT_NPROC", self.max_processes)
        _platform.seal_memory(2 * limits["memoryBytes"] + _ROOM_FOR_IMPORT)

    def _rules(self, *more):
        """What every process in here may do, and more: the descriptor of a set of rules."""
        rules = landlock.Rules(self._abi)
        for fd, rights in (*self._places, *more):
            rules.allow(fd, rights)
        return rules.fd

    def _open_places(self):
        """What every process may read, and what it was allowed to change, to be allowed again and again."""
        wanted = {path: landlock.READ for path in self._readable()}
        wanted.update((path, landlock.READ | landlock.WRITE) for path in self.places.writable)
        wanted.update((path, _USE_OF_DEVICES) for path in _DEVICES)
        opened = [landlock.open_place(path, rights) for path, rights in wanted.items()]
        return [(scratch.keep(place[0]), place[1]) for place in opened if place is not None]

    def _readable(self):
        """In a root of its own everything may be read but the scratch folders of others."""
        if not self.has_own_root:
            return *self.places.visible, *self._of_proc()
        beside_scratch = f"/{self.root.split('/')[1]}"
        tops = {f"/{path.split('/')[1]}" for path in (*self.places.visible, "/proc", "/dev")} - {beside_scratch}
        return *tops, *(path for path in self.places.visible if is_inside(path, [beside_scratch]))

    def _of_proc(self):
        # Without namespaces, whoever may start processes may see which there are.
        return ("/proc",) if self.in_namespaces or self.run else _OF_PROC

    def _step_into(self, slot):
        _dup2(slot.fd, SCRATCH_FD, False)
        _chdir(slot.path)
        os.environ["TMPDIR"] = os.environ["HOME"] = _run.scratch = slot.path
        tempfile.tempdir = None


def _own_proc():
    return f"/proc/{_getpid()}"


def _if(condition):
    return "enforced" if condition else "none"
