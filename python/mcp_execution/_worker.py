"""The process of a call: reads a request, runs it, answers, finishes what is pending, and ends."""

import gc
import os
import sys

from . import _failure, _finish, _invoke, _platform, _plots, _procfs, _run, _script
from ._channel import ANSWER_FD, REQUEST_FD, SCRATCH_FD, Channel, encode

PRELOADED = (
    "argparse asyncio base64 bisect collections contextlib copy csv dataclasses datetime decimal enum fnmatch functools "
    "glob hashlib heapq io itertools json logging math operator pathlib random re shutil socket statistics string "
    "subprocess tempfile textwrap threading time traceback types typing urllib.parse uuid"
).split()

#: No process is allowed fewer.
LEAST_OPEN_FILES = 32
READY = encode(b"R", {})

_exit, _dup, _dup2, _close, _write = os._exit, os.dup, os.dup2, os.close, os.write
_getpid = os.getpid
_give_reserve_back = _platform.reserve.clear


def take_descriptors(ends):
    """Make these the process's own: where requests come, where answers go, stdout and stderr."""
    requests, answers, out, err = ends
    _dup2(requests, REQUEST_FD, False)
    _dup2(answers, ANSWER_FD, False)
    _dup2(out, 1)
    _dup2(err, 2)
    for fd in ends:
        _close(fd)


def silence():
    """Nothing is listening to this process's own output any more."""
    _finish.flush_output()
    null = os.open(os.devnull, os.O_WRONLY)
    _dup2(null, 1)
    _dup2(null, 2)
    _close(null)


class Program:
    """A script made ready for calls; without a script, a process that can run any whole script once."""

    def __init__(self, path=None, module=None, files=()):
        self.path = path
        self.module = module
        self.files = list(files)
        self.calls = _invoke.bind_all(module) if module is not None else {}

    def call(self, name):
        call = self.calls.get(name)
        if call is None:
            call = self.calls[name] = _invoke.bind_one(self.module, name)
        return call


def load(spec):
    """The program of a specification, or what went wrong as the host is told."""
    sys.stdin.reconfigure(encoding="utf-8", errors=sys.stdin.errors)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors=stream.errors, line_buffering=True)
    _plots.watch()
    limits = spec["limits"]
    # In a sandbox, open files are limited for each call by itself.
    _platform.set_limits(None, limits["memoryBytes"], None if spec.get("sandbox") else limits["maxOpenFiles"])
    if spec.get("packages"):
        _script.add_packages(spec["packages"])
    path = spec["script"]
    if path is None:
        preload()
        _script.prepare(None)
        _limit_memory_of_calls(spec)
        return Program(), None
    program, failure = load_script(path)
    _limit_memory_of_calls(spec)
    return program, failure


def _limit_memory_of_calls(spec):
    memory = spec["limits"]["memoryBytes"]
    _platform.set_limits(None, memory, None)
    if spec.get("sandbox"):
        _platform.seal_memory(memory)


def preload():
    """Modules that whole scripts import most, so that none of them has to wait for these."""
    for name in PRELOADED:
        try:
            __import__(name)
        except ImportError:
            pass
    from . import _asking, _tools, wrappers  # noqa: F401 - scripts that call tools find them loaded


def load_script(path):
    reading = _script.FilesRead()
    try:
        _script.prepare(path)
        reading.start()
        module = _script.load_module(path)
        reading.stop()
        _script.pin_lines(module)
        return Program(path, module, reading.paths()), None
    except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt at import are failures too
        reading.stop()
        _finish.flush_output()
        return None, {"error": _failure.describe(error, path)}


class ForkedWorker:
    """All that forked processes have in common, made before they are: what one writes to is copied for it, page by page."""

    def __init__(self, program, limits, inherited, is_confined):
        self._outputs = _free_descriptors(_procfs.list_folder("/proc/self/fd"))
        self._known = _known_descriptors(inherited, self._outputs, is_confined)
        self._cpu_limit = _platform.cpu_limit_of_new_process(limits["cpuMs"] / 1000)
        self._channel = Channel(REQUEST_FD, ANSWER_FD)
        self._worker = Worker(self._channel, program, self._outputs, limits, True, self._cpu_limit)

    def serve(self, token, is_hurried):
        """Show the token, and serve. Where calls wait, or take all processors, there is no time to rehearse."""
        out, err = self._outputs
        _dup2(1, out, False)
        _dup2(2, err, False)
        _finish.begin(self._known)
        _platform.limit_cpu(self._cpu_limit)
        if not is_hurried:
            self._worker.rehearse()
        self._channel.send_encoded(token + READY)
        self._worker.serve()


def serve_own(channel, program, limits):
    """Serve in a process that imported the script itself."""
    _platform.set_limits(limits["cpuMs"] / 1000, None, None)
    channel.send(b"R", {"files": program.files})
    Worker(channel, program, (_dup(1), _dup(2)), limits, knows_unread=False).serve()


def _free_descriptors(taken):
    """Two that nothing uses, as high as the smallest limit permits, so that what a script opens has the usual numbers."""
    free = (fd for fd in range(LEAST_OPEN_FILES - 1, SCRATCH_FD, -1) if str(fd) not in taken)
    return next(free), next(free)


def _known_descriptors(inherited, outputs, is_confined):
    """As names in a listing, which needs a descriptor itself: the next free one."""
    known = {0, 1, 2, REQUEST_FD, ANSWER_FD, *outputs, *map(int, inherited)}
    if is_confined:
        known.add(SCRATCH_FD)
    known.add(next(fd for fd in range(len(known) + 1) if fd not in known))
    return frozenset(map(str, known))


class Worker:
    def __init__(self, channel, program, outputs, limits, knows_unread, cpu_limit=None):
        self._limits = limits
        self._cpu_limit = cpu_limit
        self._channel = channel
        self._program = program
        self._outputs = outputs
        self._knows_unread = knows_unread

    def serve(self):
        """Answer requests until one is the last. Never returns."""
        while True:
            frame = self._channel.receive()
            if frame is None:
                _exit(0)
            self.answer(frame[1])

    def rehearse(self):
        """Walk the path of a call once, so that a real one finds its memory touched and its code warm."""
        was_enabled = gc.isenabled()
        gc.disable()
        request, program = (SCRIPT_REHEARSAL, self._program) if self._program.module is None else (CALL_REHEARSAL, rehearsal)
        stage = _Stage(request)
        Worker(stage, program, self._outputs, self._limits, self._knows_unread).answer(stage.receive()[1])
        if was_enabled:
            gc.enable()

    def answer(self, request):
        self._limit(request.get("limits"))
        if not request.get("keep"):
            _platform.seal_cpu_limit(self._cpu_limit)
        start = _platform.usage()
        get = request.get
        _run.begin(self._channel, get("context"), get("maxResultBytes"), get("media", False), get("answers", False))
        whole = request["kind"] == "script"
        pid = _getpid()
        try:
            answer = _invoke.KINDS[request["kind"]](self._program, request, self._channel)
            kind = b"V"
        except BaseException as error:  # noqa: BLE001 - whatever ends the script is the answer
            _give_reserve_back()
            if _getpid() != pid:
                _end_forked_by_script(error)
            kind, answer = self._outcome(error, request)
        if _getpid() != pid:
            _end_forked_by_script()
        if whole and _finish.pending_in_whole_script():
            _finish.finish()
        _finish.flush_output()
        self._send_within_memory(kind, answer, start, request)
        if request.get("keep"):
            return
        if not whole and _finish.pending():
            _finish.finish()
        _exit(answer.get("exitCode") or 0)

    def _limit(self, limits):
        """A process that serves many calls has the same processor time for each, its memory limit once, and its own peaks."""
        if limits is None:
            return
        self._cpu_limit = None
        _platform.reset_peak()
        if limits == self._limits and _platform.reserve:
            _platform.set_limits(cpu_seconds=limits["cpuMs"] / 1000)
        else:
            _platform.set_limits(limits["cpuMs"] / 1000, limits["memoryBytes"], limits["maxOpenFiles"])
            self._limits = limits

    def _outcome(self, error, request):
        if isinstance(error, MemoryError):
            _platform.lift_memory_limit()
            self._limits = None
        if isinstance(error, SystemExit):
            code, text = _failure.exit_code(error)
            if text is not None:
                _tell(f"{text}\n")
            if code == 0:
                return b"V", {"value": None, "exitCode": 0}
        elif request["kind"] == "script":
            _failure.call_own_hook(error)
        return b"E", {"error": _failure.describe(error, self._program.path or request.get("filename"))}

    def _send_within_memory(self, kind, answer, start, request):
        mark, max_bytes = request.get("mark"), request.get("maxResultBytes")
        try:
            self._send(kind, answer, start, mark, max_bytes)
        except MemoryError as error:
            _give_reserve_back()
            answer.clear()
            answer.update(self._outcome(error, request)[1])
            self._send(b"E", answer, start, mark, max_bytes)

    def _send(self, kind, answer, start, mark, max_bytes=None):
        cpu, peak = _platform.usage()
        answer["cpuMs"] = round(cpu - start[0], 3)
        answer["peakBytes"] = peak
        answer["addedBytes"] = peak - start[1]
        if mark is not None:
            answer["marked"] = [fd for fd in (0, 1) if self._mark(self._outputs[fd], mark)]
        self._channel.send_limited(kind, answer, max_bytes)

    def _mark(self, fd, mark):
        """Write the end mark, unless the host has read all there is. Says whether it was written."""
        if self._knows_unread and _platform.unread_bytes(fd) == 0:
            return False
        data = memoryview(mark.encode("ascii"))
        try:
            while data:
                data = data[_write(fd, data) :]
        except OSError:
            return False
        return True


def _end_forked_by_script(error=None):
    """A child that the script forked itself came up to here: it ends as any Python process does, and answers nothing."""
    code = 0
    if isinstance(error, SystemExit):
        code, text = _failure.exit_code(error)
        if text is not None:
            _tell(f"{text}\n")
    elif error is not None:
        code = 1
        _tell(_failure.describe(error).get("traceback", ""))
    _finish.finish()
    _finish.flush_output()
    _exit(code)


def _tell(text):
    try:
        sys.stderr.write(text)
    except BaseException:  # noqa: BLE001 - the script may have replaced or closed it
        pass


class _Stage(Channel):
    """A channel whose requests are given and whose answers nobody reads."""

    def __init__(self, request):
        super().__init__(-1)
        self._buffer += request

    def send_encoded(self, data):
        pass


def _rehearsed(text: str = "", number: int = 0) -> dict:
    return {"text": text, "number": number}


rehearsal = Program()
rehearsal.calls["rehearsed"] = _invoke.BoundCall(_rehearsed)
rehearsal.module = sys.modules[__name__]
_ANY_REQUEST = {"mark": "", "keep": True, "maxResultBytes": 1 << 20}
_ANY_CALL = {"kind": "function", "script": "", "function": "rehearsed", "args": {"text": "a", "number": 1}}
_ANY_SCRIPT = {"kind": "script", "path": None, "source": "result([1])", "filename": "<script>", "argv": [], "env": {}}
CALL_REHEARSAL = encode(b"Q", {**_ANY_CALL, **_ANY_REQUEST})
ROUNDS = 40


def warm_up():
    """Walk the path of a call until Python has settled on how to run it, which it would else note in each child anew."""
    for _ in range(ROUNDS):
        stage = _Stage(CALL_REHEARSAL)
        Worker(stage, rehearsal, (1, 2), None, knows_unread=True).answer(stage.receive()[1])
    _run.end()
SCRIPT_REHEARSAL = encode(b"Q", {**_ANY_SCRIPT, **_ANY_REQUEST})
