"""The run under way: what the script is given, and what it says to its host."""

import sys
from types import FunctionType, ModuleType

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LEVEL_OF = {**{level: level for level in LEVELS}, "warn": "warning", "fatal": "critical"}

#: Data that the host passes in; the same object for the whole life of the process, filled before the script runs.
context = {}

_UNSET = object()
_DEFINITIONS = (FunctionType, ModuleType, type)
_channel = None
_value = _UNSET


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


def begin(channel, new_context=None):
    global _channel, _value
    _channel = channel
    _value = _UNSET
    context.clear()
    if new_context:
        context.update(new_context)


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

    return to_json(value)


def _finite(number, name):
    if isinstance(number, bool) or not hasattr(number, "__float__"):
        raise TypeError(f"progress: {name} must be a number, not {type(number).__name__}")
    if not abs(number) <= sys.float_info.max:
        raise ValueError(f"progress: {name} must be finite")
    return number if isinstance(number, int) else float(number)
