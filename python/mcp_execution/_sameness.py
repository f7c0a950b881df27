"""Whether two values are the same, and how they differ."""

from __future__ import annotations

import json
from typing import Any

from ._values import to_json

_MAX_SHOWN = 200
_PLAIN = (str, int, float, list, tuple, dict, type(None))


def are_same(one: Any, other: Any) -> bool:
    """As JSON has it: True is not 1, and a tuple is a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(are_same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(are_same, one, other))
    # An array says of each of its elements whether it is the same.
    if (one == other) is True:
        return True
    return not (isinstance(one, _PLAIN) and isinstance(other, _PLAIN)) and _as_json(one) == _as_json(other)


def difference(actual: Any, expected: Any) -> str:
    told = [json.dumps(sayable(each), ensure_ascii=False) for each in (actual, expected)]
    if max(map(len, told)) > _MAX_SHOWN:
        return "Two values differ."
    return f"The value is {told[0]}; expected {told[1]}."


def sayable(given: Any) -> Any:
    """As JSON, or else as it prints."""
    try:
        return to_json(given)
    except Exception:  # noqa: BLE001 - shown as well as can be
        return repr(given)


def _as_json(value: Any) -> Any:
    """What JSON cannot say is itself alone."""
    try:
        return to_json(value)
    except Exception:  # noqa: BLE001 - so it equals nothing else
        return object()
