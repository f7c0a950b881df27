"""Objects that plain Python would close or finalise when it exits."""

import gc
import io
import sys
import traceback
from types import FunctionType

_OWN_PACKAGE = __name__.partition(".")[0]
_OUTER_TO_INNER = (io.TextIOBase, io.BufferedIOBase, io.RawIOBase)
_C_BUFFERS = (io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)


def say():
    """Finalise Python objects that define `__del__`, then close files that may hold unwritten data."""
    objects = gc.get_objects()
    for item in objects:
        finalizer = _python_finalizer(type(item))
        if finalizer is not None:
            _guarded(finalizer, item)
    for file in sorted(_writable_files(objects), key=_depth):
        _guarded(_close, file)


def are_pending():
    """Whether any object made since the fork has a finaliser of its own."""
    return any(_python_finalizer(kind) for kind in set(map(type, gc.get_objects())))


def open_files():
    """Names for the open writable files, where descriptors cannot be listed."""
    return [id(file) for file in _writable_files(gc.get_objects())]


def report(error, where):
    """Tell on stderr as Python does of what nobody can catch any more."""
    try:
        sys.stderr.write(f"Exception ignored in: {where!r}\n" + "".join(traceback.format_exception(error)))
    except BaseException:  # noqa: BLE001 - stderr may be gone
        pass


def _python_finalizer(kind):
    for base in type.mro(kind) if kind is not type and not issubclass(kind, type) else ():
        finalizer = base.__dict__.get("__del__")
        if finalizer is not None:
            is_theirs = type(finalizer) is FunctionType and not issubclass(kind, io.IOBase)
            return finalizer if is_theirs and not _is_own(base) else None
    return None


def _is_own(kind):
    module = kind.__dict__.get("__module__")
    return isinstance(module, str) and module.partition(".")[0] == _OWN_PACKAGE


def _writable_files(objects):
    standard = _parts_of_standard_streams()
    return [item for item in objects if issubclass(type(item), io.IOBase) and id(item) not in standard and _is_open(item)]


def _parts_of_standard_streams():
    found = set()
    for stream in (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__):
        for _ in range(4):
            if stream is None:
                break
            found.add(id(stream))
            stream = getattr(stream, "buffer", None) or getattr(stream, "raw", None)
    return found


def _is_open(file):
    try:
        return not file.closed and file.writable()
    except Exception:  # noqa: BLE001 - a file object of the script's own making
        return False


def _depth(file):
    """Wrappers come before what they wrap, or their data would find it closed."""
    kind = type(file)
    layer = next((depth for depth, base in enumerate(_OUTER_TO_INNER) if issubclass(kind, base)), len(_OUTER_TO_INNER))
    return layer + (0.5 if issubclass(kind, _C_BUFFERS) else 0)


def _close(file):
    file.close()


def _guarded(work, item):
    try:
        work(item)
    except BaseException as error:  # noqa: BLE001 - one failure must not keep the rest from finishing
        report(error, work)
