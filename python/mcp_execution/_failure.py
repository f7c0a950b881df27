"""Say in plain data what went wrong in a script, whatever the exception does to prevent it."""

import os
import sys
import traceback

MAX_MESSAGE_CHARACTERS = 16 * 1024
MAX_TRACEBACK_CHARACTERS = 64 * 1024
MAX_LINE_CHARACTERS = 1024
MAX_CHAINED = 32

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_OWN_PACKAGE = __name__.partition(".")[0]
_ASYNCIO_FOLDER = os.path.join(os.path.dirname(os.__file__), "asyncio") + os.sep
_CODE_OF_OWN = {
    "InvalidArguments": "INVALID_ARGUMENTS",
    "BadResult": "BAD_RESULT",
    "FilesTooLarge": "RESULT_LIMIT",
    "InvalidScript": "INVALID_SCRIPT",
    "UnknownTool": "UNKNOWN_TOOL",
}
#: Told of an exception, a sandbox adds what it refused.
explain = None
_HOOK_AT_START = sys.excepthook
_cause, _context = BaseException.__cause__, BaseException.__context__
_suppressed, _traceback = BaseException.__suppress_context__, BaseException.__traceback__


def describe(exc, script_path=None):
    """What the host is told of an exception: its code, message, type, traceback and place."""
    own_code = _own_code(exc)
    if own_code:
        return _describe_own(exc, own_code)
    if _is(exc, SystemExit):
        return _describe_exit(exc)
    refused = _explained(exc)
    text, stack = _format(exc)
    code = _code(exc, stack, script_path)
    found = {"code": code, "message": _message(exc), "type": _name(type(exc)), "traceback": text}
    if code == "SYNTAX_ERROR":
        found.update(_place_of_syntax_error(exc))
    else:
        found.update(_place(stack, script_path))
    if code == "EXCEPTION":
        found.update(refused)
    if code == "IMPORT_ERROR":
        found["module"] = _text_of(getattr(exc, "name", None), MAX_LINE_CHARACTERS)
    return {key: value for key, value in found.items() if value is not None}


def _explained(exc):
    if explain is None:
        return {}
    try:
        return explain(exc)
    except Exception:  # noqa: BLE001 - the exception itself is still to be told
        return {}


def exit_code(exc):
    """The code a SystemExit ends a process with, and the text that Python would write to stderr for it."""
    code = exc.code
    if code is None:
        return 0, None
    if _is(code, int):
        return int(code) & 0xFF, None
    return 1, _string(code)


def call_own_hook(exc):
    """Where a whole script has set `sys.excepthook`, let it see what ended the script, as plain Python would."""
    hook = sys.excepthook
    if hook is _HOOK_AT_START or _own_code(exc):
        return
    place = _traceback.__get__(exc)
    while place is not None and place.tb_frame.f_code.co_filename.startswith(_OWN_FOLDER):
        place = place.tb_next
    try:
        hook(type(exc), exc, place)
    except BaseException:  # noqa: BLE001 - the host is told of the first failure, whatever the hook does
        pass


def _describe_own(exc, code):
    found = {"code": code, "message": _message(exc), "type": type(exc).__name__}
    for field in ("argument", "path"):
        value = getattr(exc, field, None)
        if isinstance(value, str):
            found[field] = value
    if isinstance(limit := getattr(exc, "limit", None), int):
        found["limit"] = limit
    return found


def _describe_exit(exc):
    code, text = exit_code(exc)
    message = f"The script exited with code {code}" + (f": {text}" if text else "")
    return {
        "code": "PROCESS_FAILED",
        "message": _cut(message, MAX_MESSAGE_CHARACTERS),
        "type": "SystemExit",
        "exitCode": code,
        "traceback": _format(exc)[0],
    }


def _is(value, kind):
    """`isinstance` by the real type, whatever `__class__` claims, as `except` sees it."""
    return issubclass(type(value), kind)


def _own_code(exc):
    kind = type(exc)
    module = kind.__dict__.get("__module__")
    if isinstance(module, str) and module.partition(".")[0] == _OWN_PACKAGE:
        return _CODE_OF_OWN.get(kind.__name__)
    return None


def _code(exc, stack, script_path):
    if _is(exc, SyntaxError) and _was_raised_by_compiling(exc, stack, script_path):
        return "SYNTAX_ERROR"
    if _is(exc, ImportError):
        return "IMPORT_ERROR"
    if _is(exc, MemoryError):
        return "MEMORY_LIMIT"
    return "EXCEPTION"


def _was_raised_by_compiling(exc, stack, script_path):
    """A script that hands bad code to `eval` has raised an exception; it has no syntax error itself."""
    filename = exc.filename
    if not isinstance(filename, str):
        return False
    return not stack or filename == script_path or (not filename.startswith("<") and os.path.isfile(filename))


def _place_of_syntax_error(exc):
    text = exc.text
    return {
        "message": _cut(_string(exc.msg), MAX_MESSAGE_CHARACTERS),
        "file": _text_of(exc.filename, MAX_LINE_CHARACTERS),
        "line": _positive(exc.lineno),
        "column": _positive(exc.offset),
        "text": _text_of(text.rstrip("\r\n") if isinstance(text, str) else None, MAX_LINE_CHARACTERS),
    }


def _place(stack, script_path):
    """The innermost line of the script itself, or of whatever code there is."""
    if not stack:
        return {}
    paths = (script_path, os.path.abspath(script_path)) if script_path else ()
    frame = next((frame for frame in reversed(stack) if frame.filename in paths), stack[-1])
    return {"file": frame.filename, "line": frame.lineno, "text": _text_of(frame.line or None, MAX_LINE_CHARACTERS)}


def _format(exc):
    """The traceback as text and the frames of the exception itself, ours left out."""
    was_cut = _cut_chain(exc)
    try:
        told = traceback.TracebackException(type(exc), exc, _traceback.__get__(exc), lookup_lines=False, compact=True)
        _leave_out_own_frames(told, set())
        text = "".join(told.format())
        stack = told.stack or []
    except BaseException:  # noqa: BLE001 - a hostile exception is still to be reported
        text, stack = _format_plainly(exc), []
    if was_cut:
        text = "[earlier exceptions left out]\n\n" + text
    return _cut_middle(text), stack


def _format_plainly(exc):
    try:
        lines = traceback.format_tb(_traceback.__get__(exc), -MAX_CHAINED)
    except BaseException:  # noqa: BLE001
        lines = []
    return "".join(["Traceback (most recent call last):\n", *lines, f"{_name(type(exc))}: {_message(exc)}\n"])


def _cut_chain(exc):
    """Keep the latest links only: a chain of thousands takes more to print than anyone reads."""
    seen = set()
    while len(seen) < MAX_CHAINED:
        seen.add(id(exc))
        earlier = _cause.__get__(exc)
        if earlier is None and not _suppressed.__get__(exc):
            earlier = _context.__get__(exc)
        if earlier is None or id(earlier) in seen:
            return False
        last, exc = exc, earlier
    _cause.__set__(last, None)
    _context.__set__(last, None)
    return True


def _leave_out_own_frames(told, seen):
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    if told.stack:
        frames = list(told.stack)
        leading = _count_leading(frames)
        kept = [frame for frame in frames[leading:] if not _is_own(frame)]
        told.stack[:] = kept
        if not kept:
            told.stack = None
    _leave_out_own_frames(told.__cause__, seen)
    _leave_out_own_frames(told.__context__, seen)
    for member in getattr(told, "exceptions", None) or ():
        _leave_out_own_frames(member, seen)


def _count_leading(frames):
    """How many frames lead from the runner to the script: ours, the importer's, and the event loop we started."""
    if not _is_own(frames[0]):
        return 0
    count = 0
    while count < len(frames) and _is_on_the_way(frames[count]):
        count += 1
    return count


def _is_on_the_way(frame):
    return _is_own(frame) or frame.filename.startswith(("<frozen importlib", _ASYNCIO_FOLDER))


def _is_own(frame):
    return frame.filename.startswith(_OWN_FOLDER)


def _message(exc):
    return _cut(_string(exc), MAX_MESSAGE_CHARACTERS)


def _string(value):
    try:
        return str(value)
    except BaseException:  # noqa: BLE001 - __str__ is the script's code
        return f"<{_name(type(value))} that cannot be shown as text>"


def _name(kind):
    name = type.__dict__["__qualname__"].__get__(kind)
    return _cut(name, MAX_LINE_CHARACTERS)


def _cut(text, limit):
    length = str.__len__(text)
    head = str.__getitem__(text, slice(0, limit))
    if length > limit:
        head += f"… [cut: {length} characters in all]"
    return _sayable(head)


def _cut_middle(text):
    left_out = len(text) - MAX_TRACEBACK_CHARACTERS
    if left_out > 0:
        half = MAX_TRACEBACK_CHARACTERS // 2
        text = f"{text[:half]}\n… [{left_out} characters left out]\n{text[-half:]}"
    return _sayable(text)


def _sayable(text):
    """Without lone surrogates, which no JSON reader is bound to accept."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _text_of(value, limit):
    return _cut(value, limit) if isinstance(value, str) else None


def _positive(number):
    return number if type(number) is int and number > 0 else None
