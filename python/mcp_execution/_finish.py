"""What plain Python finishes when it exits, and an immediate exit would lose."""

import _thread
import atexit
import gc
import os
import select
import sys
import threading
import weakref

try:
    import ctypes
except ImportError:
    ctypes = None

from . import _last_words

_DESCRIPTORS = "/proc/self/fd"
_listdir, _stat = os.listdir, os.stat
_poll, _POLLNVAL = getattr(select, "poll", None), getattr(select, "POLLNVAL", 0)
_ENOUGH_DESCRIPTORS = 128
_finalizers = weakref.finalize._registry
_count_threads, _enumerate, _current_thread = _thread._count, threading.enumerate, threading.current_thread

_always_pending = True
_handlers_at_start = 0
_descriptors_at_start = frozenset()


def _load_fflush():
    if ctypes is None:
        return None
    try:
        fflush = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None).fflush
    except (OSError, AttributeError, TypeError):
        return None
    fflush.argtypes, fflush.restype = [ctypes.c_void_p], ctypes.c_int
    return fflush


_fflush = _load_fflush()


class ImportedWork:
    """What an import leaves to be finished: the importing process's to do, and not its children's."""

    _OF_EVERY_PROCESS = frozenset(("logging", "weakref", "multiprocessing.util", "concurrent.futures.process"))

    def __init__(self):
        self._handlers = []
        self._finalizers = []
        self._register, self._unregister = atexit.register, atexit.unregister

    def watch(self):
        """Keep exit handlers that are registered from now on apart from those of every process."""

        def register(function, *args, **kwargs):
            if getattr(function, "__module__", None) in self._OF_EVERY_PROCESS:
                return self._register(function, *args, **kwargs)
            self._handlers.append((function, args, kwargs))
            return function

        def unregister(function):
            self._handlers[:] = [handler for handler in self._handlers if handler[0] != function]
            self._unregister(function)

        atexit.register, atexit.unregister = register, unregister
        return self

    def settle(self):
        """The import is over: handlers registered from now on, in a child, are that child's own."""
        global _handlers_at_start
        atexit.register, atexit.unregister = self._register, self._unregister
        self._finalizers = [info for info in _finalizers.values() if info.atexit]
        for info in self._finalizers:
            info.atexit = False
        if not weakref.finalize._registered_with_atexit:
            atexit.register(weakref.finalize._exitfunc)
            weakref.finalize._registered_with_atexit = True
        _handlers_at_start = atexit._ncallbacks()

    def finish(self):
        """The end of a process that called nothing: as plain Python would end, without waiting for threads."""
        gc.unfreeze()
        for info in self._finalizers:
            info.atexit = True
        for function, args, kwargs in self._handlers:
            atexit.register(function, *args, **kwargs)
        _end()


def begin(descriptors=None):
    """In a forked child: note what is there before the call. The caller may know the open descriptors already."""
    global _always_pending, _descriptors_at_start
    _always_pending = False
    _descriptors_at_start = frozenset(_descriptors()) if descriptors is None else descriptors


def pending():
    """Whether an immediate exit might lose something. May say so too often, at a few microseconds."""
    return (
        _always_pending
        or atexit._ncallbacks() != _handlers_at_start
        or (_count_threads() > 0 and _has_threads_to_join())
        or any(info.atexit for info in list(_finalizers.values()))
        or _has_new_descriptors()
        or _has_buffered_log_records()
    )


def pending_in_whole_script():
    """The same where nothing of the script lives on: its objects have their last words too."""
    return pending() or _last_words.are_pending()


def finish():
    """Join threads, run exit handlers, close files and let objects say their last words: the order of plain Python."""
    _guarded(threading._shutdown)
    _end()


def flush_output():
    """Write out what Python and C still hold for standard output and standard error."""
    for stream in {id(stream): stream for stream in _standard_streams()}.values():
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - a stream that the script replaced or closed
            pass
    if _fflush is not None:
        _fflush(None)


def _end():
    _guarded(atexit._run_exitfuncs)
    flush_output()
    _last_words.say()
    flush_output()


def _standard_streams():
    return sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__


def _has_threads_to_join():
    current = _current_thread()
    return any(thread is not current and not thread.daemon for thread in _enumerate())


def _has_buffered_log_records():
    handlers = getattr(sys.modules.get("logging"), "_handlerList", ())
    return any(getattr(reference(), "buffer", None) for reference in handlers)


def _has_new_descriptors():
    """The size of the listing is the number of descriptors where the kernel says it; the listing itself costs more."""
    if _standard_descriptors is not None and not _standard_descriptors.poll(0):
        try:
            # One less: what is known includes the descriptor that reading the listing takes.
            if _stat(_DESCRIPTORS).st_size == len(_descriptors_at_start) - 1:
                return False
        except OSError:
            pass
    return not _descriptors_at_start.issuperset(_descriptors())


def _ask_for_standard_descriptors():
    """Tells of those that were closed: another one that is open then would not show in their number."""
    if _poll is None:
        return None
    asking = _poll()
    for fd in (0, 1, 2):
        asking.register(fd, 0)
    return asking


_standard_descriptors = _ask_for_standard_descriptors()


def _descriptors():
    """The open descriptors; where they cannot be listed, none, and open files are looked for instead."""
    try:
        return _listdir(_DESCRIPTORS)
    except OSError:
        return _descriptors_by_asking() if _poll is not None else _last_words.open_files()


def _descriptors_by_asking():
    """Among the first, which new ones are taken from."""
    asking = _poll()
    for fd in range(_ENOUGH_DESCRIPTORS):
        asking.register(fd, 0)
    closed = {fd for fd, event in asking.poll(0) if event & _POLLNVAL}
    return [str(fd) for fd in range(_ENOUGH_DESCRIPTORS) if fd not in closed]


def _guarded(work):
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - one failure must not keep the rest from finishing
        _last_words.report(error, work)
