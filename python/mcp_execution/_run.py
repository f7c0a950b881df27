"""The run under way: what the script is given, and what it says to its host."""

import os
import sys
from _thread import allocate_lock
from types import FunctionType, ModuleType

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LEVEL_OF = {**{level: level for level in LEVELS}, "warn": "warning", "fatal": "critical"}

#: Data that the host passes in; the same object for the whole life of the process, filled before the script runs.
context = {}
#: The private folder of a process in a sandbox: files in it go to the host where their paths are returned.
scratch = None
#: Whether the host asks for bytes that are pictures or sounds as files.
media = False

_UNSET = object()
_DEFINITIONS = (FunctionType, ModuleType, type)
_getpid = os.getpid
_channel = None
_value = _UNSET
_attachments = None
_max_result_bytes = None
_pid = None
_asker = None
_is_answered = False
_finding = allocate_lock()


def log(level, message=_UNSET):
    """Send a log entry to the host: `log("info", "loaded 3 rows")`."""
    if message is _UNSET:
        level, message = "info", level
    level = _LEVEL_OF.get(str(level).lower(), "info")
    if _channel is None:
        print(f"[{level}] {message}", file=sys.stderr)
    else:
        _channel.send(b"L", {"level": level, "message": str(message)})


def progress(done, total=None, message=None):
    """Say how far the work is: `progress(3, 10, "third file")`."""
    done, total = _finite(done, "done"), None if total is None else _finite(total, "total")
    message = None if message is None else str(message)
    if _channel is None:
        print(f"{done}/{total if total is not None else '?'} {message or ''}".rstrip(), file=sys.stderr)
    else:
        _channel.send(b"P", {"done": done, "total": total, "message": message})


def result(value):
    """Set the value that a whole script gives back; the last one counts."""
    global _value
    _value = _to_json(value)


def attach(path, name=None, mime_type=None):
    """Send a file to the host as part of the result, as it is now: `attach("report.csv")`."""
    if _channel is not None:
        _files().add(path, name, mime_type)
        return
    from ._attach import read_file

    file = read_file(path, name, mime_type)
    print(f"[file] {file['name']} ({file['mimeType']})", file=sys.stderr)


def attach_data(data, kind):
    """Send what is in no file; a process that the script started has nobody to send it to."""
    if _getpid() == _pid:
        _files().add_data(data, kind)


def asker():
    """Whoever answers questions of the script: the host of the run, or, under plain Python, one that is started for it."""
    global _asker
    if _asker is None:
        with _finding:
            if _asker is None:
                _asker = _find_asker()
    return _asker


def _find_asker():
    if _channel is None:
        from ._outside import connect

        return connect()
    from ._asking import Asker, NobodyAnswers

    return Asker(_channel, _max_result_bytes) if _is_answered else NobodyAnswers()


def is_under_way():
    return _channel is not None


def begin(channel, new_context=None, max_result_bytes=None, asks_for_media=False, is_answered=False):
    global _channel, _value, _attachments, _max_result_bytes, _pid, _asker, _is_answered, media
    _channel = channel
    media = asks_for_media
    _value = _UNSET
    _attachments = None
    _max_result_bytes = max_result_bytes
    _pid = _getpid()
    _asker = None
    _is_answered = is_answered
    context.clear()
    if new_context:
        context.update(new_context)


def end():
    global _channel, _asker
    _channel = _asker = None


def prepare_files(namespace):
    """Load ahead what sends files, for a script that attaches some or may return paths from its scratch folder."""
    returns_paths = scratch is not None and "pathlib" in sys.modules
    if returns_paths or any(value is attach for value in namespace.values()):
        from . import _attach  # noqa: F401 - a call finds it loaded
        from ._values import paths  # noqa: F401
    if "PIL" in sys.modules or "matplotlib" in sys.modules:
        from . import _attach, _media  # noqa: F401


def note_returned(path):
    """The name of a file in the scratch folder, which goes with the value that holds its path; None for other paths."""
    return _files().note(path, scratch) if scratch is not None and _channel is not None else None


def note_data(source, data, kind):
    """The name of a file made from a value, which goes with what is left of the value."""
    return _files().note_data(source, data, kind) if _channel is not None else f"{kind[0]}.{kind[1]}"


def noted_as(source):
    return _files().noted_as(source) if _channel is not None else None


def with_files(converted):
    """A value made ready for the host; the files that it names go ahead of it."""
    if _attachments is not None:
        _attachments.send_noted()
    return converted


def take_value(namespace):
    """What `result(...)` was given, or the script's own global called `result` where JSON can say it."""
    if _value is not _UNSET:
        return _value
    own = namespace.get("result")
    if isinstance(own, _DEFINITIONS):
        return None
    from ._values import BadResult

    try:
        return _to_json(own)
    except BadResult as error:
        log("warning", f"The global 'result' is not returned. {error}")
        return None


def _to_json(value):
    from ._values import to_json

    try:
        return with_files(to_json(value))
    except BaseException:
        if _attachments is not None:
            _attachments.forget_noted()
        raise


def _files():
    global _attachments
    if _attachments is None:
        from ._attach import Attachments

        _attachments = Attachments(_channel, _pid, _max_result_bytes)
    return _attachments


def _finite(number, name):
    if isinstance(number, bool) or not hasattr(number, "__float__"):
        raise TypeError(f"progress: {name} must be a number, not {type(number).__name__}")
    if not abs(number) <= sys.float_info.max:
        raise ValueError(f"progress: {name} must be finite")
    return number if isinstance(number, int) else float(number)
