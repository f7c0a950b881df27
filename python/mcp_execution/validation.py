"""What a validation script says of a request to an MCP server, and of the answer: `check`, `equal`, `fail`, `passed`, `value`.

The names are simply there in a script that validates; importing them tells editors what they are.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, NoReturn

from . import _failure
from ._run import context
from ._values import to_json

__all__ = ["check", "data", "equal", "fail", "passed", "text", "value"]

_UNSET: Any = object()
_VERDICTS = ("valid", "passed", "success")
_REASONS = ("message", "reason", "error")
_MAX_FAILURES = 100

_failures: list[dict[str, Any]] = []
_values: dict[str, Any] = {}
_message: str | None = None


class _Enough(BaseException):
    """The script has seen enough."""


def check(condition: object, message: object = None, *, expected: Any = _UNSET, actual: Any = _UNSET) -> bool:
    """Note a failure where the condition does not hold, and go on: `check(total > 0, "nothing was counted")`."""
    if not condition:
        _note(message if message is not None else "A check does not hold.", _caller_line(), expected, actual)
    return bool(condition)


def equal(actual: Any, expected: Any, message: object = None) -> bool:
    """Note a failure where the two differ, and go on: `equal(data()["total"], 3)`."""
    same = bool(actual == expected)
    if not same:
        _note(message if message is not None else "Two values differ.", _caller_line(), expected, actual)
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
    _values[name] = to_json(given)


def text() -> str:
    """All text of the answer, joined by line breaks."""
    response = context.get("response") or {}
    blocks = response.get("content") or response.get("contents") or response.get("messages") or ()
    return "\n".join(part for block in blocks if isinstance(part := _text_of(block), str))


def data() -> Any:
    """What the tool returned: its structured content, else its text decoded as JSON."""
    response = context.get("response") or {}
    structured = response.get("structuredContent")
    return structured if structured is not None else json.loads(text())


def judge(run: Callable[[], Any], script_path: str) -> dict[str, Any]:
    """Run a script that validates, and say in plain data what it found."""
    _begin()
    try:
        _read_verdict(run())
    except _Enough:
        pass
    except AssertionError as failed:
        _note_exception(failed, script_path)
    except SystemExit as end:
        code, told = _failure.exit_code(end)
        if code != 0:
            _note(told or f"The validator ended with exit code {code}.", None)
    return {"failures": _failures, "values": _values, "message": _message}


#: Names that are simply there.
GIVEN = {name: globals()[name] for name in __all__}


def _begin() -> None:
    global _message
    _failures.clear()
    _values.clear()
    _message = None


def _read_verdict(returned: Any) -> None:
    """False, or an object that says that something is not valid, is a failure; a text is a remark."""
    global _message
    if returned is False:
        _note("The validator returned False.", None)
    elif isinstance(returned, str):
        _message = returned
    elif isinstance(returned, dict):
        _read_object(returned)


def _read_object(returned: dict[str, Any]) -> None:
    global _message
    reason = next((returned[key] for key in _REASONS if isinstance(returned.get(key), str)), None)
    errors = returned.get("errors")
    told = [each for each in errors if each] if isinstance(errors, list) else []
    for each in told:
        _note(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False), None)
    if any(returned.get(key) is False for key in _VERDICTS):
        if not told:
            _note(reason or "The validator says that the answer is not valid.", None)
    else:
        _message = _message or reason
    for name, given in returned.items():
        if name not in (*_VERDICTS, *_REASONS, "errors") and name.isidentifier():
            _values.setdefault(name, given)


def _note(message: object, line: int | None, expected: Any = _UNSET, actual: Any = _UNSET) -> None:
    if len(_failures) >= _MAX_FAILURES:
        return
    failure: dict[str, Any] = {"message": str(message)}
    if line is not None:
        failure["line"] = line
    for name, given in (("expected", expected), ("actual", actual)):
        if given is not _UNSET:
            failure[name] = _sayable(given)
    _failures.append(failure)


def _note_exception(failed: AssertionError, script_path: str) -> None:
    told = _failure.describe(failed, script_path)
    source = told.get("text")
    failure = {"message": told["message"] or (source.strip() if source else "An assertion does not hold.")}
    for name in ("line", "traceback"):
        if told.get(name) is not None:
            failure[name] = told[name]
    _failures.append(failure)


def _caller_line() -> int:
    return sys._getframe(2).f_lineno


def _sayable(given: Any) -> Any:
    try:
        return to_json(given)
    except Exception:  # noqa: BLE001 - shown as well as can be
        return repr(given)


def _text_of(block: Any) -> Any:
    if not isinstance(block, dict):
        return None
    inner = block.get("content")
    if isinstance(inner, dict):
        block = inner
    elif isinstance(block.get("resource"), dict):
        block = block["resource"]
    return block.get("text")
