"""What a validation script says of a request to an MCP server, and of the answer: `check`, `equal`, `fail`, `passed`, `value`.

The names are simply there in a script that validates; importing them tells editors what they are.
"""

from __future__ import annotations

import json
import linecache
import sys
import threading
import types
import warnings
from typing import Any, Callable, NoReturn

from . import _assertions, _failure, _run
from ._answers import data, text
from ._definitions import definitions_alone
from ._overdue import told_when_overdue
from ._run import context, log
from ._sameness import are_same, difference, sayable
from ._values import BadResult, to_json

__all__ = ["check", "context", "data", "equal", "fail", "log", "passed", "text", "value"]

_UNSET: Any = object()
_VERDICTS = ("valid", "passed", "success", "ok")
_REASONS = ("message", "reason", "error")
_MAX_FAILURES = 100
_MAX_MESSAGE = 64 * 1024
_ALWAYS_TRUE = {
    types.GeneratorType: "a generator, which always holds; put all(...) or any(...) around it",
    types.CoroutineType: "a coroutine, which always holds; await it",
    types.AsyncGeneratorType: "a generator, which always holds; look at what it gives",
    map: "a map, which always holds; put all(...) or any(...) around it",
    filter: "a filter, which always holds; put all(...) or any(...) around it",
    types.FunctionType: "a function, which always holds; call it",
    types.MethodType: "a method, which always holds; call it",
    types.BuiltinFunctionType: "a function, which always holds; call it",
}

_failures: list[dict[str, Any]] = []
_values: dict[str, Any] = {}
_message: str | None = None
_left_out = 0


class _Enough(BaseException):
    """The script has seen enough."""


def check(condition: object, message: object = None, *, expected: Any = _UNSET, actual: Any = _UNSET) -> bool:
    """Note a failure where the condition does not hold, and go on: `check(total > 0, "nothing was counted")`."""
    if type(condition) in _ALWAYS_TRUE:
        raise TypeError(f"check: the condition is {_ALWAYS_TRUE[type(condition)]}")
    holds = bool(condition)
    if not holds:
        _note(message if message is not None else _source_of_caller(), _caller_line(), expected, actual)
    return holds


def equal(actual: Any, expected: Any, message: object = None) -> bool:
    """Note a failure where the two differ, as JSON has it, and go on: `equal(data()["total"], 3)`."""
    same = are_same(actual, expected)
    if not same:
        _note(message if message is not None else difference(actual, expected), _caller_line(), expected, actual)
    return same


def fail(message: object = "The validator says no.", *, expected: Any = _UNSET, actual: Any = _UNSET) -> NoReturn:
    """End the script here: the answer is not as it should be."""
    _note(message, _caller_line(), expected, actual)
    raise _Enough


def passed(message: object = None) -> NoReturn:
    """End the script here: there is nothing more to look at."""
    global _message
    _message = None if message is None else str(message)
    raise _Enough


def value(name: str, given: Any) -> None:
    """Keep a value for the report, and for later cases as {{ name }}: `value("user_id", data()["id"])`."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"value: {name!r} is no name; use letters, digits and _")
    try:
        _values[name] = to_json(given)
    except BadResult as error:
        raise ValueError(f"value: {name}{str(error).removeprefix('Result $')}") from None


def refuse_hollow_assertions() -> None:
    """`assert (x == 1, "why")` is always true, of which Python only warns."""
    warnings.filterwarnings("error", "assertion is always true", SyntaxWarning)


def judge(run: Callable[[], Any], script_path: str, seconds: float | None = None) -> dict[str, Any]:
    """Run a script that validates, within so many seconds, and say in plain data what it found."""
    _begin()
    hook = threading.excepthook
    threading.excepthook = _note_of_threads(hook, script_path)
    try:
        with told_when_overdue(seconds, script_path):
            _read_verdict(run())
    except _Enough:
        pass
    except AssertionError as failed:
        _note_exception(failed, script_path)
    except SystemExit as end:
        code, told = _failure.exit_code(end)
        if code != 0:
            _note(told or f"The validator ended with exit code {code}.", _line_of(end, script_path))
    finally:
        _join_threads()
        threading.excepthook = hook
    if _left_out > 0:
        _failures.append({"message": f"{_left_out} more failures were noted."})
    return {"failures": _failures, "values": _values, "message": _message}


def take_verdict(namespace: dict[str, Any], source: str) -> Any:
    """The result of a script; of one that JSON cannot say, at least what it says of the answer."""
    if not _failures and (alone := definitions_alone(source)):
        _note(alone.message, alone.line)
    own = namespace.get("result")
    value = _run.take_value(namespace)
    if value is None and isinstance(own, dict):
        return to_json({key: own[key] for key in (*_VERDICTS, *_REASONS, "errors") if key in own})
    return value


def note_unreached(function: str) -> None:
    """A script that ends before its function was called has looked at nothing."""
    _note(f"The validator ended before its function {function} was called.", None)


#: Names that are simply there.
GIVEN = {**{name: globals()[name] for name in __all__}, **_assertions.GIVEN}


def _begin() -> None:
    global _message, _left_out
    _failures.clear()
    _values.clear()
    _message = None
    _left_out = 0


def _read_verdict(returned: Any) -> None:
    """False, or an object that says that something is not valid, is a failure; a text is a remark."""
    global _message
    if returned is False:
        # Such as `return equal(...)` gives: that failure is noted.
        if not _failures:
            _note("The validator returned False.", None)
    elif isinstance(returned, str):
        _message = returned
    elif isinstance(returned, dict):
        _read_object(returned)
    elif isinstance(returned, (list, tuple)):
        _read_list(returned)


def _read_list(returned: Any) -> None:
    """A verdict with its reason, or several verdicts, such as a generator gives."""
    if len(returned) == 2 and isinstance(returned[0], bool) and isinstance(returned[1], str):
        _read_object({"valid": returned[0], "message": returned[1]})
        return
    for each in returned:
        if each is False or isinstance(each, (dict, list, tuple)):
            _read_verdict(each)


def _read_object(returned: dict[str, Any]) -> None:
    global _message
    reason = next((returned[key] for key in _REASONS if isinstance(returned.get(key), str)), None)
    errors = returned.get("errors")
    told = [each for each in (errors if isinstance(errors, (list, tuple)) else [errors]) if each]
    for each in told:
        _note(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False), None)
    refused = _refusal_in(returned)
    if refused is not None and not told:
        _note(reason or refused, None)
    elif refused is None:
        _message = _message or reason
    for name, given in returned.items():
        if name not in (*_VERDICTS, *_REASONS, "errors") and name.isidentifier():
            _values.setdefault(name, given)


def _refusal_in(returned: dict[str, Any]) -> str | None:
    """Only what is true says that the answer is valid; an object with an error and nothing else says that it is not."""
    for key in _VERDICTS:
        if key in returned and (isinstance(returned[key], str) or not returned[key]):
            plain = "The validator says that the answer is not valid."
            given = json.dumps(returned[key], ensure_ascii=False)
            return plain if returned[key] is False else f"{plain} It gave {given} as {key}, which is not True."
    says_nothing_else = set(returned) <= {*_REASONS, "errors"}
    return "The validator gave an error." if returned.get("error") and says_nothing_else else None


def _note(message: object, line: int | None, expected: Any = _UNSET, actual: Any = _UNSET) -> None:
    global _left_out
    if len(_failures) >= _MAX_FAILURES:
        _left_out += 1
        return
    failure: dict[str, Any] = {"message": _shortened(str(message))}
    if line is not None:
        failure["line"] = line
    for name, given in (("expected", expected), ("actual", actual)):
        if given is not _UNSET:
            failure[name] = sayable(given)
    _failures.append(failure)


def _note_exception(failed: AssertionError, script_path: str) -> None:
    told = _failure.describe(failed, script_path)
    source = told.get("text")
    failure = {"message": told["message"] or (source.strip() if source else "An assertion does not hold.")}
    for name in ("line", "traceback"):
        if told.get(name) is not None:
            failure[name] = told[name]
    _failures.append(failure)


def _note_of_threads(hook: Callable[[Any], Any], script_path: str) -> Callable[[Any], Any]:
    """What ends a thread of the script is a failure as it is in the script itself."""

    def note(given: Any) -> None:
        failed = given.exc_value
        if isinstance(failed, AssertionError):
            _note_exception(failed, script_path)
        elif not isinstance(failed, (_Enough, SystemExit)):
            _note(f"A thread of the validator raised {given.exc_type.__name__}: {failed}", None)
        if not isinstance(failed, _Enough):
            hook(given)

    return note


def _join_threads() -> None:
    for thread in threading.enumerate():
        if thread not in (threading.current_thread(), threading.main_thread()) and not thread.daemon:
            thread.join()


def _line_of(error: BaseException, script_path: str) -> int | None:
    """The innermost line of the script that it went through."""
    found, place = None, error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename == script_path:
            found = place.tb_lineno
        place = place.tb_next
    return found


def _shortened(message: str) -> str:
    left = len(message) - _MAX_MESSAGE
    return message if left <= 0 else f"{message[:_MAX_MESSAGE]}… ({left} more characters)"


def _caller_line() -> int:
    return sys._getframe(2).f_lineno


def _source_of_caller() -> str:
    """The line that calls, as it stands there, unless it goes on in the next one."""
    frame = sys._getframe(2)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    is_whole = line != "" and line.count("(") == line.count(")")
    return f"This does not hold: {line}" if is_whole else "A check does not hold."
